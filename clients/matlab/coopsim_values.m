function [values, at] = coopsim_values(raw, at, count)
% COOPSIM_VALUES  So many msgpack values from an index of a row of uint8, a cell, and the index behind them.
%   Arrays become cells, texts char rows, bins rows of uint8, integers and floats doubles; integers of 64 bits keep their
%   class, since a double does not hold them all. One loop reads the most frequent kinds: calls are slow in Octave.
  values = cell(1, count);
  codes = double(raw);
  for k = 1:count
    code = codes(at);
    if code < 128
      values{k} = code;
      at = at + 1;
    elseif code == 203
      values{k} = typecast(raw(at + 8:-1:at + 1), 'double');
      at = at + 9;
    elseif code >= 160 && code < 192
      part = raw(at + 1:at + code - 160);
      values{k} = char(part);
      if any(part > 127)
        values{k} = text(part);
      end
      at = at + code - 159;
    elseif code == 207
      values{k} = typecast(raw(at + 8:-1:at + 1), 'uint64');
      at = at + 9;
    elseif code == 196
      last = at + 1 + codes(at + 1);
      values{k} = raw(at + 2:last);
      at = last + 1;
    elseif code == 205 || code == 206
      values{k} = 256 .^ (2 * code - 409:-1:0) * codes(at + 1:at + 2 * code - 408).';
      at = at + 2 * code - 407;
    elseif code >= 144 && code < 160
      [values{k}, at] = list(raw, at + 1, code - 144);
    elseif code >= 224
      values{k} = code - 256;
      at = at + 1;
    else
      [values{k}, at] = coded(raw, at + 1, code);
    end
  end
end

function [value, at] = coded(raw, at, code)
  kinds = {'single', 'double', 'uint8', 'uint16', 'uint32', 'uint64', 'int8', 'int16', 'int32', 'int64'};
  lengths = {'uint8', 'uint16', 'uint32'};
  if code >= 202 && code <= 211
    [value, at] = number(raw, at, kinds{code - 201});
    if code ~= 211
      value = double(value);
    end
  elseif code >= 196 && code <= 198
    [count, at] = number(raw, at, lengths{code - 195});
    [value, at] = bytes(raw, at, double(count));
  elseif code >= 217 && code <= 219
    [count, at] = number(raw, at, lengths{code - 216});
    [value, at] = bytes(raw, at, double(count));
    value = text(value);
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
  else
    [value, at] = coopsim_values(raw, at, count);
  end
end

function value = text(raw)
  if any(raw > 127)
    value = native2unicode(raw, 'UTF-8');
  else
    value = char(raw);
  end
end

function [value, at] = bytes(raw, at, count)
  value = raw(at:at + count - 1);
  at = at + count;
end

function [value, at] = number(raw, at, kind)
  sizes = struct('single', 4, 'double', 8, 'uint8', 1, 'uint16', 2, 'uint32', 4, 'uint64', 8, ...
                 'int8', 1, 'int16', 2, 'int32', 4, 'int64', 8);
  [value, at] = bytes(raw, at, sizes.(kind));
  value = typecast(value(end:-1:1), kind);
end
