% Asks what is there, and for something that is not.
LIST = 10;
sim = Coopsim();
[~, params] = sim.ask('/robot1/motors', 0);
fprintf('/robot1/motors is a %s\n', params{1});
[~, names] = sim.ask('/sim/names', LIST, [], {'/robot1/'});
fprintf('%s\n', names{:});
try
  sim.ask('/robotX/motors', 0);
catch problem
  number = sscanf(problem.message, '/robotX/motors: error %d');
  fprintf('refused with %d\n', number);
end
sim.close();
