function vw = lifted(vw, dead_zone)
% The command with which both wheels move that shall move, also those of a motor with a dead zone [m/s].
  half_track = 0.18;  % m
  % yours
  % end of yours
end
