-- Reads the distances around a robot, and changes how far it sees.
local coopsim = require "coopsim"

local RESET, RANGES, GET_PARAMETER, SET_PARAMETER = 14, 10, 2, 3

local sim = coopsim.connect()
sim:ask("/sim/world", RESET)
io.write("ranges")
for _, distance in ipairs(sim:ask("/robot1/sonars", RANGES).data) do io.write(string.format(" %.3f", distance)) end
local reach = sim:ask("/robot1/sonars", GET_PARAMETER, { "reach" }).params[1]
local changed = sim:ask("/robot1/sonars", SET_PARAMETER, { "reach", 2.0 }).params[1]
print(string.format("\nreach was %.1f m, is %.1f m", reach, changed))
sim:ask("/robot1/sonars", SET_PARAMETER, { "reach", reach })
sim:close()
