function v = clear_speed(ranges, distance, fastest)
% Speed [m/s]: slower where something is ahead, and near the goal.
  v = min([fastest, 0.8 * distance, max(0.05, 0.8 * (min(ranges(4:8)) - 0.1))]);
end
