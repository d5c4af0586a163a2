function real_robot(real)
% Exercise 6: the law of exercise 1 drives a simulated robot and a real one. Fill in lifted.m and robot_settings.m.
  corners = [0.6 0; 0.6 0.6; 0 0];  % m
  settings = robot_settings();
  if nargin < 1
    real = 'real2';
  end
  names = {'robot1', real};
  sim = Coopsim();
  sim.ask('/sim/clock', 11, [], {'real-time'});
  sim.ask('/sim/world', 18, [], {'single'});
  for k = 1:2
    sim.ask(['/', names{k}, '/odometry'], 12);
  end
  reached = [0 0];
  begun = tic();
  while any(reached < 3) && toc(begun) < 60
    for k = 1:2
      reached(k) = drive_on(sim, names{k}, corners, reached(k), settings(k, :));
    end
    pause(0.05);
  end
  for k = 1:2
    sim.ask(['/', names{k}, '/motors'], 12);
    fprintf('%s: %d corners\n', names{k}, reached(k));
  end
  sim.close();
  fprintf('%.0f s\n', toc(begun));
end

function reached = drive_on(sim, name, corners, reached, settings)
% Command a robot towards its next corner; count those that it has reached.
  at = sim.ask(['/', name, '/odometry'], 10);
  pose = struct('x', at(1), 'y', at(2), 'heading', at(3));
  if reached < 3 && norm(corners(reached + 1, :) - at(1:2)) < 0.02
    reached = reached + 1;
  end
  vw = [0 0];
  if reached < 3
    vw = lifted(square_command(pose, corners(reached + 1, :), settings(1)), settings(2));
  end
  sim.ask(['/', name, '/motors'], 10, vw);
end
