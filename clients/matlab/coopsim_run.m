function values = coopsim_run(list, start, count, behind, part, parts)
% COOPSIM_RUN  A run of values, or one of the equal parts of it; a count of 0 = all up to as many as stand behind it.
  first = start;
  if start < 0
    first = numel(list) + start;
  end
  if count == 0
    count = numel(list) - behind - first;
  end
  if first < 0 || count < 0 || first + count > numel(list) || mod(count, parts) ~= 0
    error('coopsim:malformed', 'a reply of %d values', numel(list));
  end
  share = count / parts;
  values = list(first + part * share + (1:share));
end
