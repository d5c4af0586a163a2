function drive()
% Exercise 1: drive a square and come back to where you began. Fill in square_command.m.
  corners = [1 0; 1 1; 0 1; 0 0];  % m
  dt = 0.1;  % s
  sim = coopsim_begin('single', dt);
  begun = sim.ask('/sim/world', 15, [], {'robot1'});
  seen = sim.step({'robot1'}, [0 0]);
  steps = 0;
  reached = 0;
  while reached < 4 && steps < 400
    pose = seen.odometry;
    corner = corners(reached + 1, :);
    if hypot(corner(1) - pose.x, corner(2) - pose.y) < 0.02
      reached = reached + 1;
    else
      seen = sim.step({'robot1'}, square_command(pose, corner, 3));
      steps = steps + 1;
    end
  end
  ended = sim.ask('/sim/world', 15, [], {'robot1'});
  sim.close();
  away = norm(ended(1:2) - begun(1:2));
  fprintf('%d corners after %.1f s, %.2f m from where it began\n', reached, steps * dt, away);
end
