-- Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings.
local coopsim = require "coopsim"

local RESET, LAYOUT, STEP, CLAIM, RELEASE, POSE = 14, 10, 11, 13, 15, 10
local ROBOTS = { "robot1", "robot2", "robot3" }
local STEPS = 60

local sim = coopsim.connect()
sim:ask("/sim/world", RESET)
local lengths = sim:ask("/sim/step", LAYOUT).data
sim:ask("/sim/step", CLAIM, ROBOTS)
local readings
for step = 0, STEPS - 1 do
  local turn = step % 80 < 40 and 0.25 or -0.25
  local commands = { 0.25, turn, 0.3125, turn, 0.375, turn }
  readings = sim:ask("/sim/step", STEP, { 0, table.unpack(ROBOTS) }, commands).data
end
print(string.format("%d readings a step, %.0f of each robot", #readings, lengths[2]))
for _, name in ipairs(ROBOTS) do
  local pose = sim:ask("/" .. name .. "/odometry", POSE).data
  print(string.format("%s: x %.3f m, y %.3f m", name, pose[1], pose[2]))
end
sim:ask("/sim/step", RELEASE)
sim:close()
