function transport()
% Exercise 5: two robots carry a bar through a door. Fill in help_carry.m; turn_rate.m is that of exercise 3.
  dt = 0.1;  % s
  team = {'team1/leader', 'team1/helper'};
  sim = coopsim_begin('doorway', dt);
  seen = sim.step(team, zeros(2, 2));
  steps = 0;
  pull = 0;
  u = 0;
  while seen(1).target.targets(1) > 0.35 && steps < 900
    bar = seen(2).support;
    force = bar.force_x * cos(bar.angle) + bar.force_y * sin(bar.angle);
    [vw, u] = help_carry(bar.angle, force, u, dt);
    seen = sim.step(team, [lead(seen(1)); vw]);
    steps = steps + 1;
    pull = max(pull, abs(force));
  end
  sim.close();
  fprintf('%.1f m from the target after %.1f s, the bar pulled with %.0f N at most\n', ...
          seen(1).target.targets(1), steps * dt, pull);
end

function vw = lead(robot)
% Command of the leader: to the target, but not away from a helper that cannot follow.
  bearings = deg2rad(linspace(-110, 110, 11));
  off = bearings - robot.support.angle;
  off = atan2(sin(off), cos(off));
  ranges = robot.sonars.ranges;
  ranges(abs(off) < 0.5 & ranges > 1.2) = 3;  % the helper, at the other end of the bar
  pull = hypot(robot.support.force_x, robot.support.force_y);
  v = clear_speed(ranges, robot.target.targets(1), 0.25) * min(max(1 - pull / 60, 0), 1);
  vw = [v, turn_rate(ranges, robot.target.targets(2))];
end
