function [value, at] = coopsim_unpack(raw, at)
% COOPSIM_UNPACK  The msgpack value that begins at an index of a row of uint8, and the index behind it.
%   Arrays become cells, texts char rows, bins rows of uint8, integers and floats doubles; integers of 64 bits keep their
%   class, since a double does not hold them all.
  if nargin < 2
    at = 1;
  end
  code = double(raw(at));
  at = at + 1;
  if code < 128
    value = code;
  elseif code >= 160 && code < 192
    last = at + code - 161;
    value = char(raw(at:last));
    if any(raw(at:last) > 127)
      value = native2unicode(raw(at:last), 'UTF-8');
    end
    at = last + 1;
  elseif code == 203  % the most frequent ones need no further calls, which are slow in Octave
    value = typecast(raw(at + 7:-1:at), 'double');
    at = at + 8;
  elseif code == 207
    value = typecast(raw(at + 7:-1:at), 'uint64');
    at = at + 8;
  elseif code == 205
    value = 256 * double(raw(at)) + double(raw(at + 1));
    at = at + 2;
  elseif code >= 224
    value = code - 256;
  elseif code >= 144 && code < 160
    [value, at] = list(raw, at, code - 144);
  else
    [value, at] = coded(raw, at, code);
  end
end

function [value, at] = coded(raw, at, code)
  persistent kinds lengths
  if isempty(kinds)
    kinds = {'single', 'double', 'uint8', 'uint16', 'uint32', 'uint64', 'int8', 'int16', 'int32', 'int64'};
    lengths = {'uint8', 'uint16', 'uint32'};
  end
  if code >= 202 && code <= 211
    [value, at] = number(raw, at, kinds{code - 201});
    if code ~= 207 && code ~= 211
      value = double(value);
    end
  elseif code >= 196 && code <= 198
    [count, at] = number(raw, at, lengths{code - 195});
    [value, at] = bytes(raw, at, double(count));
  elseif code >= 217 && code <= 219
    [count, at] = number(raw, at, lengths{code - 216});
    [value, at] = text(raw, at, double(count));
  elseif code == 220 || code == 221
    [count, at] = number(raw, at, lengths{code - 218});
    [value, at] = list(raw, at, double(count));
  else
    error('coopsim:malformed', 'code %d is no type that messages have', code);
  end
end

function [value, at] = list(raw, at, count)
  last = at + 9 * count - 1;
  if count > 0 && last <= numel(raw) && all(raw(at:9:last) == 203)  % floats alone, all at once
    packed = reshape(raw(at:last), 9, []);
    value = num2cell(typecast(reshape(packed(9:-1:2, :), 1, []), 'double'));
    at = last + 1;
    return
  end
  value = cell(1, count);
  for k = 1:count
    [value{k}, at] = coopsim_unpack(raw, at);
  end
end

function [value, at] = text(raw, at, count)
  [value, at] = bytes(raw, at, count);
  if any(value > 127)
    value = native2unicode(value, 'UTF-8');
  else
    value = char(value);
  end
end

function [value, at] = bytes(raw, at, count)
  value = raw(at:at + count - 1);
  at = at + count;
end

function [value, at] = number(raw, at, kind)
  persistent sizes
  if isempty(sizes)
    sizes = struct('single', 4, 'double', 8, 'uint8', 1, 'uint16', 2, 'uint32', 4, 'uint64', 8, ...
                   'int8', 1, 'int16', 2, 'int32', 4, 'int64', 8);
  end
  [value, at] = bytes(raw, at, sizes.(kind));
  value = typecast(value(end:-1:1), kind);
end
