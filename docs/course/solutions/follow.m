function vw = follow(leader, place, ranges, leader_speed)
% Command of a robot that sees its leader at (x, y), ahead and to the left [m], and has a place to keep.
  % yours
  x = leader(1) + place(1);
  y = leader(2) + place(2);
  v = min(leader_speed + x, clear_speed(ranges, 10, 0.5));
  vw = [max(v, 0), turn_rate(ranges, atan2(y, 0.4 + max(x, 0)))];
  % end of yours
end
