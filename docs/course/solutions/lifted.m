function vw = lifted(vw, dead_zone)
% The command with which both wheels move that shall move, also those of a motor with a dead zone [m/s].
  half_track = 0.18;  % m
  % yours
  wheels = vw(1) + [-1, 1] * vw(2) * half_track;
  wheels = sign(wheels) .* max(abs(wheels), 1.1 * dead_zone) .* (abs(wheels) > 0.005);
  vw = [mean(wheels), diff(wheels) / (2 * half_track)];
  % end of yours
end
