function value = coopsim_value(values, start, type)
% COOPSIM_VALUE  A value of a reply, a float, int, text or value; a start below 0 is counted from the end.
  place = start + 1;
  if start < 0
    place = numel(values) + start + 1;
  end
  if place < 1 || place > numel(values)
    error('coopsim:malformed', 'the reply has %d values and none at %d', numel(values), start);
  end
  value = coopsim_run(values, place - 1, 1, 0, 0, 1);
  if iscell(value)
    value = value{1};
  end
  is_right = strcmp(type, 'value') || ischar(value) == strcmp(type, 'text');
  if ~is_right || (strcmp(type, 'int') && value ~= fix(value))
    error('coopsim:malformed', 'the reply has a %s at %d, not a value of type %s', class(value), start, type);
  end
  if strcmp(type, 'float')
    value = double(value);
  end
end
