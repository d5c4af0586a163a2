function sim = coopsim_begin(scene, dt)
% COOPSIM_BEGIN  Connect, load a scene, and let it wait for each step; dt is the length of a step [s].
  sim = Coopsim();
  sim.ask('/sim/clock', 11, [], {'lockstep'});
  sim.ask('/sim/world', 18, [], {scene});
  sim.ask('/sim/clock', 13, dt);
end
