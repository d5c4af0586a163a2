-- Drives three robots by names: commands, readings, parameters and refusals as this language has them.
local coopsim = require "coopsim"
local errors = require "coopsim_errors"
local modules = require "coopsim_modules"

local ROBOTS = { "robot1", "robot2", "robot3" }

local sim = coopsim.connect()
modules.World.new(sim):reset()
local stepper = modules.Stepper.new(sim, table.unpack(ROBOTS))
local seen
for _ = 1, 40 do
  for number, robot in ipairs(ROBOTS) do stepper:set_differential_drive(robot, 0.1 * number, 0.05) end
  seen = stepper:step()
end
for _, robot in ipairs(ROBOTS) do
  local nearest, speed = math.min(table.unpack(seen:sonars(robot).ranges)), seen:differential_drive(robot).v
  print(string.format("%s: nearest %.3f m, speed %.3f m/s", robot, nearest, speed))
end
stepper:close()
local pose = modules.Odometry.new(sim, "/robot3/odometry"):pose()
print(string.format("robot3 is at x %.3f m, y %.3f m", pose.x, pose.y))
local sonars = modules.Sonars.new(sim, "/robot1/sonars")
local reach = sonars:get_reach()
print(string.format("reach was %.1f m, is %.1f m", reach, sonars:set_reach(2.0)))
sonars:set_reach(reach)
local missing = modules.Sonars.new(sim, "/robotX/sonars")
local ranges, problem = coopsim.try(missing.ranges, missing)
print(string.format("refused: no such name %s", ranges == nil and problem.number == errors.NO_SUCH_NAME))
sim:close()
