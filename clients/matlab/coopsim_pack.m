function bytes = coopsim_pack(value)
% COOPSIM_PACK  A value as msgpack, a row of uint8.
%   A cell becomes an array, a char row a text, a number of an integer class an integer, a double a float64, and a row
%   of any other number of doubles a bin of little-endian float64, as `data` of a message may be.
  if ischar(value) && numel(value) < 32 && all(value < 128)  % the most frequent kinds need no further calls
    bytes = [uint8(160 + numel(value)), uint8(value)];
  elseif iscell(value) && isempty(value)
    bytes = uint8(144);
  elseif iscell(value)
    parts = cellfun(@coopsim_pack, value, 'UniformOutput', false);
    bytes = [head(numel(value), 144, 16, [0, 220, 221]), parts{:}];
  elseif ischar(value)
    text = value;
    if any(value(:) > 127)
      text = unicode2native(value, 'UTF-8');
    end
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
  if value >= 0
    if value < 128
      bytes = uint8(value);
    elseif value < 256
      bytes = uint8([204, value]);
    elseif value < 65536
      bytes = [uint8(205), big_endian(uint16(value))];
    elseif value < 4294967296
      bytes = [uint8(206), big_endian(uint32(value))];
    else
      bytes = [uint8(207), big_endian(uint64(value))];
    end
  elseif value >= -32
    bytes = typecast(int8(value), 'uint8');
  elseif value >= -128
    bytes = [uint8(208), typecast(int8(value), 'uint8')];
  elseif value >= -32768
    bytes = [uint8(209), big_endian(int16(value))];
  elseif value >= -2147483648
    bytes = [uint8(210), big_endian(int32(value))];
  else
    bytes = [uint8(211), big_endian(int64(value))];
  end
end

function bytes = big_endian(number)
  bytes = typecast(number, 'uint8');
  bytes = bytes(end:-1:1);
end
