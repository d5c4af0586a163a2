-- Sees every state of a robot without asking for it.
local coopsim = require "coopsim"
local events = require "coopsim_events"

local RESET, SUBSCRIBE, CLAIM, STEP, RELEASE = 14, 11, 13, 11, 15

local sim = coopsim.connect()
sim:ask("/sim/world", RESET)
sim:ask("/sim/step", CLAIM, { "robot1" })
sim:ask("/sim/info", SUBSCRIBE, { "/robot1" })
for number = 1, 50 do
  local tick = sim:ask("/sim/step", STEP, { 0, "robot1" }, { 0.4, 0.1 }).tick
  local state = events.state_of(sim:state())
  while state.tick < tick do state = events.state_of(sim:state()) end
  if number % 10 == 0 then
    for name, pose in pairs(state.poses) do
      print(string.format("step %d: %s is at x %.3f m, y %.3f m", number, name, pose[1], pose[2]))
    end
  end
end
sim:ask("/sim/step", RELEASE)
sim:close()
