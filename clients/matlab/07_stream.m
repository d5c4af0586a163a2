% Sees every state of a robot without asking for it.
RESET = 14; SUBSCRIBE = 11; CLAIM = 13; STEP = 11;
sim = Coopsim();
sim.ask('/sim/world', RESET);
sim.ask('/sim/step', CLAIM, [], {'robot1'});
sim.ask('/sim/info', SUBSCRIBE, [], {'/robot1'});
for number = 1:50
  sim.ask('/sim/step', STEP, [0.4 0.1], {uint8(0), 'robot1'});
  state = coopsim_state_of(sim.state());
  while state.tick < sim.tick
    state = coopsim_state_of(sim.state());
  end
  if mod(number, 10) == 0
    fprintf('step %d: %s is at x %.3f m, y %.3f m\n', number, state.names{1}, state.poses(1, 1:2));
  end
end
sim.close();
