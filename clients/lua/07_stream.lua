-- Sees every state of a robot without asking for it.
local coopsim = require "coopsim"

local RESET, SUBSCRIBE, CLAIM, STEP, RELEASE = 14, 11, 13, 11, 15
local FIRST_NAME = 9 -- of the params of a state; the values of the body follow the time

local sim = coopsim.connect()
sim:ask("/sim/world", RESET)
sim:ask("/sim/step", CLAIM, { "robot1" })
sim:ask("/sim/info", SUBSCRIBE, { "/robot1" })
for number = 1, 50 do
  local tick = sim:ask("/sim/step", STEP, { 0, "robot1" }, { 0.4, 0.1 }).tick
  local state = sim:state()
  while state.tick < tick do state = sim:state() end
  if number % 10 == 0 then
    local name, x, y = state.params[FIRST_NAME], state.data[2], state.data[3]
    print(string.format("step %d: %s is at x %.3f m, y %.3f m", number, name, x, y))
  end
end
sim:ask("/sim/step", RELEASE)
sim:close()
