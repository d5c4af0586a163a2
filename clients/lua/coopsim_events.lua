--- Events and states: messages with id 0, which come once somebody subscribed.
local values = require "coopsim_values"

local M = {}
local PARAMS_OF_EVENT, FIRST_NAME, POSE = 5, 8, 7

local function malformed(...) error({ kind = "malformed", text = "the server sent " .. string.format(...) }, 0) end

--- Return a function that returns the next values of a message, so many.
local function runs(message, behind)
  return function(count)
    local left = #message.data - behind
    if count < 0 or count > left then malformed("%d values where %d are left", count, left) end
    behind = behind + count
    return table.move(message.data, behind - count + 1, behind, 1, {})
  end
end

--- Return the events of a message that `sim:state()` brought from /sim/events: number, topic, source, text, tick, data.
function M.events_of(message)
  local first, next_values = values.whole_at(message, 0), runs(message, 0)
  local events = {}
  for place = 1, #message.params - 1, PARAMS_OF_EVENT do
    events[#events + 1] = {
      number = first + #events,
      topic = values.text_at(message, place),
      source = values.text_at(message, place + 1),
      text = values.text_at(message, place + 2),
      tick = values.whole_at(message, place + 3),
      data = next_values(values.whole_at(message, place + 4)),
    }
  end
  return events
end

--- Return the state that a message tells which `sim:state()` brought: poses by body, readings by robot, and what the clock says.
function M.state_of(message)
  local bodies, robots, rest = values.whole_at(message, 6), values.whole_at(message, 7), #message.params - FIRST_NAME
  if bodies < 0 or robots < 0 or bodies > rest or robots > rest or bodies + 2 * robots ~= rest then
    malformed("a state with %d params for %d bodies and %d robots", #message.params, bodies, robots)
  end
  local time, next_values, first_robot = values.number_at(message, 0), runs(message, 1), FIRST_NAME + bodies
  local poses, readings = {}, {}
  for place = FIRST_NAME, first_robot - 1 do poses[values.text_at(message, place)] = next_values(POSE) end
  for place = first_robot, first_robot + robots - 1 do
    readings[values.text_at(message, place)] = next_values(values.whole_at(message, place + robots))
  end
  return {
    topic = message.target,
    tick = message.tick,
    time = time,
    run = values.whole_at(message, 0),
    generation = values.whole_at(message, 1),
    revision = values.whole_at(message, 2),
    mode = values.text_at(message, 3),
    is_paused = values.whole_at(message, 4) == 1,
    has_ended = values.whole_at(message, 5) == 1,
    poses = poses,
    readings = readings,
  }
end

return M
