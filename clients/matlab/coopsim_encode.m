function bytes = coopsim_encode(id, target, tick, command, params, data, run)
% COOPSIM_ENCODE  The bytes of a request, a row of uint8; a run of 0 is not named.
  bytes = [coopsim_pack(uint64(id)), coopsim_pack(target), coopsim_pack(uint64(tick)), uint8([0, 160]), ...
           coopsim_pack(uint64(command)), coopsim_pack(params), coopsim_bin(data)];
  if run > 0
    bytes = [uint8([154, 1]), bytes, coopsim_pack(uint64(run))];
  else
    bytes = [uint8([153, 1]), bytes];
  end
end
