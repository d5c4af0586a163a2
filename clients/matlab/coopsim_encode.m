function bytes = coopsim_encode(id, target, tick, command, params, data, run)
% COOPSIM_ENCODE  The bytes of a request, a row of uint8; a run of 0 is not named.
  numbers = typecast([uint64(id), uint64(run)], 'uint8');
  if tick < 128 && command < 128
    middle = uint8([tick, 0, 160, command]);
  else
    middle = [coopsim_pack(uint64(tick)), uint8([0, 160]), coopsim_pack(uint64(command))];
  end
  if isempty(params) && isempty(data)
    rest = uint8([144, 196, 0]);
  else
    rest = [coopsim_pack(params), coopsim_bin(data)];
  end
  bytes = [uint8([153, 1, 207]), numbers(8:-1:1), coopsim_pack(target), middle, rest];
  if run > 0
    bytes = [bytes, 207, numbers(16:-1:9)];
    bytes(1) = 154;
  end
end
