function cells = coopsim_cells(varargin)
% COOPSIM_CELLS  A row of cells with all values, of which a cell or several numbers are a run.
  cells = cell(1, 0);
  for k = 1:nargin
    value = varargin{k};
    if iscell(value)
      cells = [cells, reshape(value, 1, [])];
    elseif ischar(value) || isscalar(value)
      cells{end + 1} = value;
    else
      cells = [cells, reshape(num2cell(value), 1, [])];
    end
  end
end
