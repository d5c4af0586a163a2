function state = coopsim_state_of(message)
% COOPSIM_STATE_OF  The state that sim.state() brought: time, run, generation, revision, mode, is_paused, has_ended.
%   names and poses are those of bodies, a row x y z and a quaternion w x y z of each; robots and readings, a cell of each.
  whole = @(place) double(coopsim_value(message.params, place, 'int'));
  bodies = whole(6);
  robots = whole(7);
  if bodies < 0 || robots < 0 || numel(message.params) ~= 8 + bodies + 2 * robots
    error('coopsim:malformed', 'a state with %d params for %g bodies and %g robots', numel(message.params), bodies, robots);
  end
  state = struct('topic', message.target, 'tick', message.tick, 'time', coopsim_value(message.data, 0, 'float'), ...
                 'run', coopsim_value(message.params, 0, 'int'), 'generation', whole(1), 'revision', whole(2), ...
                 'mode', coopsim_value(message.params, 3, 'text'), 'is_paused', whole(4) == 1, 'has_ended', whole(5) == 1);
  state.names = cell(1, bodies);
  state.poses = zeros(bodies, 7);
  for body = 1:bodies
    state.names{body} = coopsim_value(message.params, 7 + body, 'text');
    state.poses(body, :) = coopsim_next(message.data, 1 + 7 * (body - 1), 7);
  end
  state.robots = cell(1, robots);
  state.readings = cell(1, robots);
  behind = 1 + 7 * bodies;
  for robot = 1:robots
    count = whole(7 + bodies + robots + robot);
    state.robots{robot} = coopsim_value(message.params, 7 + bodies + robot, 'text');
    state.readings{robot} = coopsim_next(message.data, behind, count);
    behind = behind + count;
  end
end
