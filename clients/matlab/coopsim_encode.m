function bytes = coopsim_encode(id, target, tick, command, params, data, run)
% COOPSIM_ENCODE  The bytes of a request, a row of uint8; a run of 0 is not named.
  values = uint8(144);
  if ~isempty(params)
    values = coopsim_pack(params);
  end
  bytes = [coopsim_pack(uint64(id)), coopsim_pack(target), whole(tick), uint8([0, 160]), whole(command), values, coopsim_bin(data)];
  if run > 0
    bytes = [uint8([154, 1]), bytes, coopsim_pack(uint64(run))];
  else
    bytes = [uint8([153, 1]), bytes];
  end
end

function bytes = whole(value)
  bytes = uint8(value);
  if value > 127
    bytes = coopsim_pack(uint64(value));
  end
end
