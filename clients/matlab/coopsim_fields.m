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
  if ~is_whole(fields{1}) || fields{1} ~= 1 || ~all(cellfun(@is_whole, fields([2 4 5 7]))) ...
      || ~all(cellfun(@ischar, fields([3 6]))) || ~are_params(fields{8}) || ~are_data(fields{9})
    error('coopsim:malformed', 'not the nine fields of a message of version 1');
  end
end

function yes = is_whole(value)
  yes = isnumeric(value) && isscalar(value) && value >= 0 && value == fix(value);
end

function yes = are_params(values)
  yes = iscell(values) && all(cellfun(@(value) ischar(value) || is_number(value), values));
end

function yes = are_data(values)
  if iscell(values)
    yes = all(cellfun('isclass', values, 'double')) || all(cellfun(@is_number, values));
  else
    yes = isa(values, 'uint8') && mod(numel(values), 8) == 0;
  end
end

function yes = is_number(value)
  yes = isnumeric(value) && isscalar(value) && ~isa(value, 'uint8');  % a row of uint8 is a bin
end
