-- Asks what is there, and for something that is not.
local coopsim = require "coopsim"

local LIST = 10

local sim = coopsim.connect()
print("/robot1/motors is a " .. sim:ask("/robot1/motors", 0).params[1])
for _, name in ipairs(sim:ask("/sim/names", LIST, { "/robot1/" }).params) do print(name) end
local is_there, problem = pcall(sim.ask, sim, "/robotX/motors", 0)
if not is_there then print("refused with " .. problem.number) end
sim:close()
