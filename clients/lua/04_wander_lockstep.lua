-- Wanders without a collision: in lockstep each reading is of the step that the last command made.
local coopsim = require "coopsim"

local RESET, RELEASE, RANGES, SET_VELOCITY, POSE = 14, 15, 10, 10, 10
local STEPS = 90

--- Return {v, w}: forward, turning to the side with more room.
local function decide(ranges)
  local middle = #ranges // 2 + 1
  local function least(from, to) return math.min(table.unpack(ranges, from, to)) end
  local right, left = least(1, middle), least(middle, #ranges)
  if least(middle - 1, middle + 1) < 0.6 then return { 0.0, left >= right and 0.8 or -0.8 } end
  return { 0.4, 0.4 * (left - right) / (left + right + 0.1) }
end

local sim = coopsim.connect()
sim:ask("/sim/world", RESET)
for step = 1, STEPS do
  local ranges = sim:ask("/robot1/sonars", RANGES).data
  sim:ask("/robot1/motors", SET_VELOCITY, {}, decide(ranges))
  if step % 30 == 0 then
    local pose = sim:ask("/robot1/odometry", POSE).data
    print(string.format("step %d: x %.3f m, y %.3f m", step, pose[1], pose[2]))
  end
end
sim:ask("/sim/step", RELEASE)
sim:close()
