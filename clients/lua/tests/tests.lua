-- Tests that need no simulation: lua5.4 tests/tests.lua. Prints what failed, and ends with 1 where something did.
local folder = arg[0]:match("^(.*)/") or "."
package.path = folder .. "/../?.lua;" .. package.path

local coopsim = require "coopsim"
local events = require "coopsim_events"
local json = require "coopsim_json"
local modules = require "coopsim_modules"
local values = require "coopsim_values"

local LAYOUT = [==[{"generation": 7, "types": {"t": {"takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]],
  "takes_length": 2, "gives": [["sonars", "ranges", "m", 0, 2], ["motors", "v", "m/s", 2, 1]], "gives_length": 3}},
  "robots": [["robot1", "t"], ["robot2", "t"]]}]==]
local failures = 0

local function same(what, wanted, result)
  if wanted == result then return end
  failures = failures + 1
  print(string.format("%s: expected %s, got %s", what, wanted, result))
end

local function kind_of(call, ...)
  local result, problem = coopsim.try(call, ...)
  return result == nil and problem and problem.kind or "no problem"
end

--- A client that answers as a function says, and keeps what it was asked.
local function client_of(answer)
  local client = { asked = {} }
  function client:ask(target, command, params, data)
    table.insert(self.asked, { target = target, command = command, params = params, data = data })
    local reply = answer(command)
    return { tick = 5, params = reply.params or {}, data = reply.data or {} }
  end
  return client
end

local function tests_json()
  local value = json.decode ' {"a": [1, -2.5e1, "x\\n\\u00e4\\"", true, false], "b": {}, "c": null} '
  same("numbers of JSON", -25.0, value.a[2])
  same("a whole number of JSON", "integer", math.type(value.a[1]))
  same("a text of JSON", 'x\n\u{e4}"', value.a[3])
  same("words of JSON", true, value.a[4] and not value.a[5])
  for _, text in ipairs { "", "{", "[1,]", '{"a" 1}', '"x', "nul", "[1] 2", "{1: 2}", string.rep("[", 100) } do
    same("no JSON: " .. text, "malformed", kind_of(json.decode, text))
  end
end

local function tests_events()
  local list = events.events_of { params = { 4, "/a", "x", "hi", 8, 2, "/b", "y", "", 9, 0 }, data = { 1.0, 2.0 } }
  same("an event", "4 hi 2.0", string.format("%d %s %s", list[1].number, list[1].text, list[1].data[2]))
  same("the next event", "5 /b 0", string.format("%d %s %d", list[2].number, list[2].topic, #list[2].data))
  local params = { 7, 1, 2, "free", 0, 1, 1, 1, "box", "robot1", 2 }
  local state = events.state_of { params = params, data = { 0.5, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.0, 4.0 } }
  same("a state", true, state.has_ended and not state.is_paused and state.poses.box[7] == 6.0)
  same("readings of a state", 4.0, state.readings.robot1[2])
  for _, count in ipairs { -1, 3, math.maxinteger, 0.5, "two" } do
    local no_events = { params = { 4, "/a", "x", "hi", 8, count }, data = { 1.0, 2.0 } }
    same("no events", "malformed", kind_of(events.events_of, no_events))
    local no_state = { params = { 7, 1, 2, "free", 0, 1, count, 0, "box" }, data = { 0.5 } }
    same("no state", "malformed", kind_of(events.state_of, no_state))
  end
  same("an empty state", "malformed", kind_of(events.state_of, { params = {}, data = {} }))
end

local function tests_values()
  local reply = { params = { "a", 2, 0.5 }, data = { 1.0, 2.0, 3.0, 4.0, 5.0 } }
  same("from the end", 4.0, values.number_at(reply, -2))
  same("a run up to the end", "2.0 3.0 4.0", table.concat(values.numbers(reply, 1, 0, 1), " "))
  same("half of a run", "3.0 4.0", table.concat(values.numbers(reply, 0, 0, 1, 1, 2), " "))
  same("a text", "a", values.text_at(reply, 0))
  same("joined", "1 2 3", table.concat(values.joined(1, { 2, 3 }), " "))
  same("no text", "malformed", kind_of(values.text_at, reply, 1))
  same("not whole", "malformed", kind_of(values.whole_at, reply, 2))
  same("missing", "malformed", kind_of(values.number_at, reply, 5))
  same("shares that are no shares", "malformed", kind_of(values.numbers, reply, 0, 0, 0, 0, 2))
end

local function tests_modules()
  local client = client_of(function(command) return command == 10 and { data = { 1.0, 2.0 } } or { params = { 2 } } end)
  local sonars = modules.Sonars.new(client, "/robot1/sonars")
  same("readings", "1.0 2.0", table.concat(sonars:ranges().ranges, " "))
  same("a parameter", 2.0, sonars:set_reach(2))
  same("a parameter is sent as a float", "float", math.type(client.asked[2].params[2]))
  modules.DifferentialDrive.new(client, "/robot1/motors"):set_velocity(0.3, 0.1)
  same("a command", "/robot1/motors 10 0.3 0.1", string.format("%s %d %s", client.asked[3].target, client.asked[3].command,
    table.concat(client.asked[3].data, " ")))
  same("the one module of its kind", "/sim/world", modules.World.new(client).target)
end

local function tests_steps()
  local client = client_of(function(command)
    if command == 10 then return { params = { LAYOUT } } end
    return command == 11 and { params = { 5 }, data = { 1.0, 2.0, 0.3, 3.0, 4.0, 0.4 } } or {}
  end)
  local stepper = modules.Stepper.new(client)
  same("all robots", "robot1 robot2", table.concat(stepper.robots, " "))
  stepper:set_differential_drive("robot2", 0.2, 0.1)
  local seen = stepper:step()
  local asked = client.asked[#client.asked]
  same("a step", "7 robot1 robot2", table.concat(asked.params, " "))
  same("its command", 11, asked.command)
  same("its values", "0.0 0.0 0.2 0.1", table.concat(asked.data, " "))
  same("what it read", "3.0 4.0", table.concat(seen:sonars("robot2").ranges, " "))
  same("a robot that is none", "malformed", kind_of(seen.sonars, seen, "robotX"))
  stepper:close()
  same("robots are given back", "robot1 robot2", table.concat(client.asked[#client.asked].params, " "))
end

tests_events()
tests_json()
tests_values()
tests_modules()
tests_steps()
same("faults of a program go on", false, (pcall(coopsim.try, function() error "a fault" end)))
same("nobody is there", "lost", kind_of(coopsim.connect, "127.0.0.1:1", 1))
os.exit(failures == 0 and 0 or 1)
