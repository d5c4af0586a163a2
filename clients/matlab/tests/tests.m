% Tests that need no simulation: octave-cli --norc --no-history tests/tests.m. Prints what failed, and ends with 1 then.
addpath(fileparts(mfilename('fullpath')), fileparts(fileparts(mfilename('fullpath'))));

function check(what, is_right)
  global failures
  if ~is_right
    failures{end + 1} = what;
  end
end

function identifier = identifier_of(call)
  identifier = 'no problem';
  try
    call();
  catch problem
    identifier = problem.identifier;
  end
end

function [data, params] = module_answer(command)
  data = [];
  params = {uint8(2)};
  if command == 10
    data = [1 2];
    params = {};
  end
end

function [data, params] = step_answer(command)
  data = [];
  params = {};
  if command == 10
    params = {['{"generation": 7, "types": {"t": {"takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]], ', ...
               '"takes_length": 2, "gives": [["sonars", "ranges", "m", 0, 2], ["motors", "v", "m/s", 2, 1]], ', ...
               '"gives_length": 3}}, "robots": [["robot1", "t"], ["robot2", "t"]]}']};
  elseif command == 11
    data = [1 2 0.3 3 4 0.4];
  end
end

global failures
failures = {};
malformed = 'coopsim:malformed';

check('a value from the end', coopsim_value([1 2 3 4 5], -2, 'float') == 4);
check('a text', strcmp(coopsim_value({'a', 2}, 0, 'text'), 'a'));
check('a run up to the end', isequal(coopsim_run(1:5, 1, 0, 1, 0, 1), [2 3 4]));
check('half of a run', isequal(coopsim_run(1:5, 0, 0, 1, 1, 2), [3 4]));
check('cells', isequal(coopsim_cells('a', int64(2), {'b', 'c'}, [1 2]), {'a', int64(2), 'b', 'c', 1, 2}));
check('no text', strcmp(identifier_of(@() coopsim_value({2}, 0, 'text')), malformed));
check('not whole', strcmp(identifier_of(@() coopsim_value({0.5}, 0, 'int')), malformed));
check('missing', strcmp(identifier_of(@() coopsim_value([], 0, 'float')), malformed));
check('shares that are none', strcmp(identifier_of(@() coopsim_run(1:5, 0, 0, 0, 0, 2)), malformed));

fake = FakeCoopsim(@module_answer);
sonars = CoopsimSonars(fake, '/robot1/sonars');
check('readings', isequal(sonars.ranges().ranges, [1 2]));
check('a parameter', sonars.setReach(2) == 2);
check('what it sends', isequal(fake.asked{2}.params, {'reach', 2}));
drive = CoopsimDifferentialDrive(fake, '/robot1/motors');
drive.setVelocity(0.3, 0.1);
check('a command', isequal(fake.asked{3}.data, [0.3 0.1]) && strcmp(fake.asked{3}.target, '/robot1/motors'));
world = CoopsimWorld(fake);
check('the one module of its kind', strcmp(world.target, '/sim/world'));

fake = FakeCoopsim(@step_answer);
stepper = CoopsimStepper(fake);
check('all robots', isequal(stepper.robots, {'robot1', 'robot2'}));
stepper.setDifferentialDrive('robot2', 0.2, 0.1);
stepper.step();
check('the values of a step', isequal(fake.asked{end}.data, [0 0 0.2 0.1]));
check('its robots', isequal(fake.asked{end}.params, {uint64(7), 'robot1', 'robot2'}));
check('what it read', isequal(stepper.sonars('robot2').ranges, [3 4]));
stepper.setDifferentialDrive({}, [0.3; 0.4], 0.5);
stepper.step();
check('values of all robots', isequal(fake.asked{end}.data, [0.3 0.5 0.4 0.5]));
check('what all robots read', isequal(stepper.sonars().ranges, [1 2; 3 4]) && isequal(stepper.numbers({}, 'motors', 'v'), [0.3; 0.4]));
check('too few robots', strcmp(identifier_of(@() stepper.put({}, 'motors', 'v', [1 2 3])), 'coopsim:argument'));
check('what no robot has', strcmp(identifier_of(@() stepper.numbers({}, 'gps', 'x')), malformed));
check('a robot that is none', strcmp(identifier_of(@() stepper.sonars('robotX')), malformed));
check('too few values', strcmp(identifier_of(@() stepper.put('robot1', 'motors', 'v', [])), 'coopsim:argument'));

events = coopsim_events_of(struct('params', {{4, '/a', 'x', 'hi', 8, 2, '/b', 'y', '', 9, 0}}, 'data', [1 2]));
check('an event', strcmp(events(1).text, 'hi') && isequal(events(1).data, [1 2]));
check('the next event', events(2).number == 5 && strcmp(events(2).topic, '/b') && isempty(events(2).data));
words = {7, 1, 2, 'free', 0, 1, 1, 1, 'box', 'robot1', 2};
state = coopsim_state_of(struct('target', '/sim/state', 'tick', 9, 'params', {words}, 'data', [0.5 0:6 3 4]));
check('a state', state.has_ended && ~state.is_paused && state.poses(1, 7) == 6 && strcmp(state.names{1}, 'box'));
check('its readings', strcmp(state.robots{1}, 'robot1') && isequal(state.readings{1}, [3 4]));
for count = {-1, 3, 2^62, 0.5, 'two'}
  told = struct('params', {[{4, '/a', 'x', 'hi', 8}, count]}, 'data', [1 2]);
  check('no events', strcmp(identifier_of(@() coopsim_events_of(told)), malformed));
  told = struct('target', '', 'tick', 0, 'params', {[{7, 1, 2, 'free', 0, 1}, count, {0, 'box'}]}, 'data', 0.5);
  check('no state', strcmp(identifier_of(@() coopsim_state_of(told)), malformed));
end

files = dir(fullfile(fileparts(fileparts(mfilename('fullpath'))), 'Coopsim*.m'));
for k = 1:numel(files)
  [~, name] = fileparts(files(k).name);
  if ~any(strcmp(name, {'Coopsim', 'CoopsimErrorCode', 'CoopsimRawStepper', 'CoopsimStepper'}))
    module = feval(name, fake, '/some/where');
    check([name ' is a module'], isa(module, 'CoopsimModule') && strcmp(module.target, '/some/where'));
  end
end
check('numbers of refusals', CoopsimErrorCode.NO_SUCH_NAME > 100);

for k = 1:numel(failures)
  fprintf('failed: %s\n', failures{k});
end
exit(double(~isempty(failures)));
