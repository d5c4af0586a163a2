-- Drives a robot in an arc, one request after the other.
local coopsim = require "coopsim"

local RESET, RELEASE, SET_VELOCITY, STOP, POSE = 14, 15, 10, 12, 10

local sim = coopsim.connect()
sim:ask("/sim/world", RESET)
local pose
for _ = 1, 100 do
  sim:ask("/robot1/motors", SET_VELOCITY, {}, { 0.4, 0.2 })
  pose = sim:ask("/robot1/odometry", POSE).data
end
sim:ask("/robot1/motors", STOP)
print(string.format("robot1 drove to x %.3f m, y %.3f m, heading %.3f rad", pose[1], pose[2], pose[3]))
sim:ask("/sim/step", RELEASE)
sim:close()
