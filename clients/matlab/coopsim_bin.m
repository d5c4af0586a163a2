function bytes = coopsim_bin(numbers)
% COOPSIM_BIN  Numbers as a msgpack bin of little-endian float64, a row of uint8.
  bytes = uint8([196, 0]);
  if isempty(numbers)
    return
  end
  body = typecast(reshape(double(numbers), 1, []), 'uint8');
  count = numel(body);
  if count < 256
    bytes = [uint8([196, count]), body];
  elseif count < 65536
    bytes = [uint8(197), fliplr(typecast(uint16(count), 'uint8')), body];
  else
    bytes = [uint8(198), fliplr(typecast(uint32(count), 'uint8')), body];
  end
end
