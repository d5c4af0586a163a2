function values = coopsim_next(data, behind, count)
% COOPSIM_NEXT  So many values behind others; what has not as many is no message.
  if count < 0 || count > numel(data) - behind
    error('coopsim:malformed', '%g values where %d are left', count, numel(data) - behind);
  end
  values = data(behind + (1:count));
end
