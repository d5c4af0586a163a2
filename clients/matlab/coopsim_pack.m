function bytes = coopsim_pack(value)
% COOPSIM_PACK  A value as msgpack, a row of uint8.
%   A cell becomes an array, a char row a text, a number of an integer class an integer, a double a float64, and a row
%   of any other number of doubles a bin of little-endian float64, as `data` of a message may be.
  if iscell(value)
    parts = cellfun(@coopsim_pack, value, 'UniformOutput', false);
    bytes = [head(numel(value), 144, 16, [0, 220, 221]), parts{:}];
  elseif ischar(value)
    text = unicode2native(value, 'UTF-8');
    bytes = [head(numel(text), 160, 32, [217, 218, 219]), reshape(uint8(text), 1, [])];
  elseif isinteger(value)
    bytes = whole(value);
  elseif isscalar(value)
    bytes = [uint8(203), big_endian(double(value))];
  else
    bytes = coopsim_bin(value);
  end
end

function bytes = head(count, short, below, codes)
  if count < below
    bytes = uint8(short + count);
  elseif count < 256 && codes(1) > 0
    bytes = uint8([codes(1), count]);
  elseif count < 65536
    bytes = [uint8(codes(2)), big_endian(uint16(count))];
  else
    bytes = [uint8(codes(3)), big_endian(uint32(count))];
  end
end

function bytes = whole(value)
  kinds = {'uint8', 'uint16', 'uint32', 'uint64'};
  first = 204;
  if value < 0
    kinds = {'int8', 'int16', 'int32', 'int64'};
    first = 208;
  end
  if value >= -32 && value < 128
    bytes = typecast(int8(value), 'uint8');
    return
  end
  for k = 1:4
    if value >= intmin(kinds{k}) && value <= intmax(kinds{k})
      bytes = [uint8(first + k - 1), big_endian(cast(value, kinds{k}))];
      return
    end
  end
end

function bytes = big_endian(number)
  bytes = typecast(number, 'uint8');
  bytes = bytes(end:-1:1);
end
