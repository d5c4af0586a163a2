function places = coopsim_places(rows, robots, robot, module, name)
% COOPSIM_PLACES  Return where the values of a robot stand; of all robots, a row for each, when it is empty.
  try
    if isempty(robot)
      places = rows.all.(module).(name);
    else
      places = rows.spans{strcmp(robot, robots)}.(module).(name);
    end
  catch
    places = [];
  end
  if isempty(robot) && size(places, 1) ~= numel(robots)
    error('coopsim:malformed', 'not all robots have %s.%s with as many values', module, name);
  elseif isempty(places)
    error('coopsim:malformed', '%s has no %s.%s in a step', robot, module, name);
  end
end
