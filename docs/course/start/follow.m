function vw = follow(leader, place, ranges, leader_speed)
% Command of a robot that sees its leader at (x, y), ahead and to the left [m], and has a place to keep.
  % yours
  vw = [0, 0];
  % end of yours
end
