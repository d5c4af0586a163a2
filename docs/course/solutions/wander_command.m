function vw = wander_command(ranges)
% Speed [m/s] and rate of turn [rad/s] from what eleven sonars read, from right to left [m].
  % yours
  right = min(ranges(1:5));
  ahead = min(ranges(4:8));
  left = min(ranges(7:11));
  v = 0.5 * min(max((ahead - 0.3) / 0.7, 0), 1);
  w = 0.5 * (left - right) / (left + right);
  if ahead < 0.8
    w = 1;
    if left < right
      w = -1;
    end
  end
  vw = [v, w];
  % end of yours
end
