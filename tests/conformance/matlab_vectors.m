function matlab_vectors(file)
% Print what coopsim_fields makes of each line of hex in a file, then what coopsim_pack makes of some values.
  lines = strsplit(strtrim(fileread(file)), "\n");
  for k = 1:numel(lines)
    try
      fields = coopsim_fields(uint8(sscanf(lines{k}, '%2x')).');
      if isa(fields{9}, 'uint8')
        fields{9} = num2cell(typecast(fields{9}, 'double'));
      end
      fields{9} = cellfun(@double, fields{9}, 'UniformOutput', false);
      printf('%s\n', shown(fields));
    catch problem
      printf('refused %s\n', problem.message);
    end
  end
  integers = {uint8(0), uint8(127), uint8(128), uint8(255), uint16(256), uint16(65535), uint32(65536), uint64(2) ^ 40, ...
              intmax('uint64'), int8(-1), int8(-32), int8(-33), int8(-128), int16(-129), int32(-32769), intmin('int64')};
  texts = {'', repmat('x', 1, 31), repmat('x', 1, 32), repmat('x', 1, 256), repmat('x', 1, 65536), native2unicode(uint8([195 164]), 'UTF-8')};
  values = [integers, texts, {0.25, -1.5, {}, num2cell(1:15), num2cell(1:16), [1 2], zeros(1, 40), zeros(1, 9000)}];
  for k = 1:numel(values)
    printf('%s\n', sprintf('%02x', coopsim_pack(values{k})));
  end
end

function text = shown(value)
  if iscell(value)
    text = ['[', strjoin(cellfun(@shown, value, 'UniformOutput', false), ','), ']'];
  elseif ischar(value)
    text = ['"', sprintf('%02x', unicode2native(value, 'UTF-8')), '"'];
  elseif isa(value, 'uint64')
    text = sprintf('%u', value);
  else
    text = sprintf('%.17g', value);
  end
end
