% Sees every state of a robot without asking for it.
RESET = 14; SUBSCRIBE = 11; CLAIM = 13; STEP = 11;
FIRST_NAME = 9;  % of the params of a state; the values of the body follow the time
sim = Coopsim();
sim.ask('/sim/world', RESET);
sim.ask('/sim/step', CLAIM, [], {'robot1'});
sim.ask('/sim/info', SUBSCRIBE, [], {'/robot1'});
for number = 1:50
  sim.ask('/sim/step', STEP, [0.4 0.1], {uint8(0), 'robot1'});
  state = sim.state();
  while state.tick < sim.tick
    state = sim.state();
  end
  if mod(number, 10) == 0
    fprintf('step %d: %s is at x %.3f m, y %.3f m\n', number, state.params{FIRST_NAME}, state.data(2:3));
  end
end
sim.close();
