-- Shows moments of a recording (`coopsim replay FILE`), which nobody can drive.
local coopsim = require "coopsim"

local PAUSE, SEEK, POSE, SET_VELOCITY = 13, 14, 10, 10

local sim = coopsim.connect()
sim:ask("/sim/playback", PAUSE)
for _, moment in ipairs { 1.0, 2.0, 0.5 } do
  local shown = sim:ask("/sim/playback", SEEK, {}, { moment }).data[1]
  local pose = sim:ask("/robot1/odometry", POSE).data
  print(string.format("%.2f s: x %.3f m, y %.3f m", shown, pose[1], pose[2]))
end
local is_driven, problem = pcall(sim.ask, sim, "/robot1/motors", SET_VELOCITY, {}, { 0.3, 0.0 })
if not is_driven then print("refused with " .. problem.number) end
sim:close()
