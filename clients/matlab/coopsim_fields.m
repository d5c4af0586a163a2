function fields = coopsim_fields(raw)
% COOPSIM_FIELDS  The nine fields of a message, a cell; fields of later versions behind them are left alone.
  at = 2;
  if raw(1) == 220  % an array whose length stands in two bytes, or in four
    at = 4;
  elseif raw(1) == 221
    at = 6;
  end
  fields = cell(1, 9);
  for k = 1:9
    [fields{k}, at] = coopsim_unpack(raw, at);
  end
end
