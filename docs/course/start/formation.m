function formation()
% Exercise 4: two robots keep their places behind a third one. Fill in follow.m; turn_rate.m is that of exercise 3.
  dt = 0.1;  % s
  team = {'robot1', 'robot2', 'robot3'};  % the first one leads
  places = [0 0; -0.7 0.4; -0.7 -0.4];  % ahead and left of the leader [m]
  sim = coopsim_begin('formation', dt);
  for k = 1:3  % the leader in the first slot
    others = strjoin(team([1:k - 1, k + 1:3]), ' ');
    sim.ask(['/', team{k}, '/target'], 3, [], {'robots', others});
  end
  seen = sim.step(team, zeros(3, 2));
  errors = [];
  while seen(1).target.targets(1) > 0.3 && numel(errors) < 1200
    seen = sim.step(team, commands(seen, places));
    for k = 2:3
      errors(end + 1) = norm(seen_at(seen(k).target.robots(1:3)) + places(k, :));
    end
  end
  sim.close();
  fprintf('%.1f m from the target after %.1f s, places kept to %.2f m\n', ...
          seen(1).target.targets(1), numel(errors) / 2 * dt, mean(errors));
end

function vw = commands(seen, places)
% A row for each robot: the leader goes to the target, the others after it.
  ranges = without_mates(seen(1));
  v = clear_speed(ranges, seen(1).target.targets(1), 0.25);
  vw = [v, turn_rate(ranges, seen(1).target.targets(2))];
  for k = 2:3
    leader = seen_at(seen(k).target.robots(1:3));
    vw(k, :) = follow(leader, places(k, :), without_mates(seen(k)), v);
  end
end

function place = seen_at(sighting)
% Where a robot is, ahead and to the left [m], from its distance and bearing.
  place = sighting(1) * [cos(sighting(2)), sin(sighting(2))];
end

function ranges = without_mates(robot)
% What the sonars read with the echoes of teammates taken out.
  bearings = deg2rad(linspace(-110, 110, 11));
  ranges = robot.sonars.ranges;
  for sighting = reshape(robot.target.robots, 3, [])
    if sighting(3) && sighting(1) < 2
      hidden = abs(bearings - sighting(2)) < 0.25 + asin(min(1, 0.25 / sighting(1)));
      ranges(hidden & abs(ranges - sighting(1) + 0.5) < 0.3) = 3;
    end
  end
end
