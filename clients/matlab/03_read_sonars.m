% Reads the distances around a robot, and changes how far it sees.
RESET = 14; RANGES = 10; GET_PARAMETER = 2; SET_PARAMETER = 3;
sim = Coopsim();
sim.ask('/sim/world', RESET);
ranges = sim.ask('/robot1/sonars', RANGES);
fprintf('ranges%s\n', sprintf(' %.3f', ranges));
[~, reach] = sim.ask('/robot1/sonars', GET_PARAMETER, [], {'reach'});
[~, changed] = sim.ask('/robot1/sonars', SET_PARAMETER, [], {'reach', 2.0});
fprintf('reach was %.1f m, is %.1f m\n', reach{1}, changed{1});
sim.ask('/robot1/sonars', SET_PARAMETER, [], {'reach', reach{1}});
sim.close();
