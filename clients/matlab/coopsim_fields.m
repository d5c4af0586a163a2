function fields = coopsim_fields(raw)
% COOPSIM_FIELDS  The nine fields of a message, a cell; fields of later versions behind them are left alone.
  at = 2;
  if raw(1) == 220  % an array whose length stands in two bytes, or in four
    at = 4;
  elseif raw(1) == 221
    at = 6;
  elseif raw(1) < 153 || raw(1) > 159
    error('coopsim:malformed', 'a message is an array of at least nine fields');
  end
  fields = coopsim_values(raw, at, 9);
  if ~isnumeric(fields{1}) || any(fields{1} ~= 1) || ~ischar(fields{3}) || ~ischar(fields{6}) || ~iscell(fields{8})
    error('coopsim:malformed', 'not the nine fields of a message of version 1');
  end
end
