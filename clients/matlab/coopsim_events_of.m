function events = coopsim_events_of(state)
% COOPSIM_EVENTS_OF  The events of a message that sim.state() brought from /sim/events: number, topic, source, text, tick, data.
%   Numbers are those of this connection; one that is left out is an event that was lost.
  first = double(coopsim_value(state.params, 0, 'int'));
  events = struct('number', {}, 'topic', {}, 'source', {}, 'text', {}, 'tick', {}, 'data', {});
  behind = 0;
  for place = 1:5:numel(state.params) - 1
    count = double(coopsim_value(state.params, place + 4, 'int'));
    data = coopsim_next(state.data, behind, count);
    behind = behind + count;
    events(end + 1) = struct('number', first + numel(events), ...
                             'topic', coopsim_value(state.params, place, 'text'), ...
                             'source', coopsim_value(state.params, place + 1, 'text'), ...
                             'text', coopsim_value(state.params, place + 2, 'text'), ...
                             'tick', coopsim_value(state.params, place + 3, 'int'), 'data', data);
  end
end
