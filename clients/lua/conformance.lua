-- Answers the lines of docs/conformance.md, for `coopsim conformance client`.
local coopsim = require "coopsim"
local modules = require "coopsim_modules"
local socket = require "socket"

local sim
local using, clients = "main", {}

local function hex(raw) return (raw:gsub(".", function(byte) return string.format("%02x", byte:byte()) end)) end

local function from_hex(text) return (text:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end)) end

local function written(value)
  if type(value) == "string" then return "s:" .. hex(value) end
  if math.type(value) == "integer" then return "i:" .. value end
  -- an integer beyond 2^63 is a float, too
  return (value >= 2.0 ^ 63 and "n:" or "f:") .. hex(string.pack(">d", value))
end

local function list(values, write)
  local words = {}
  for place, value in ipairs(values) do words[place] = (write or written)(value) end
  return table.concat(words, " ")
end

local function float(value) return "f:" .. hex(string.pack(">d", value)) end

local function value(word)
  local kind, rest = word:match("^(.):(.*)$")
  if kind == "s" then return from_hex(rest) end
  if kind == "f" then return (string.unpack(">d", from_hex(rest))) end
  return math.tointeger(tonumber(rest)) or error { kind = "unsupported", text = "Lua has no integers beyond 2^63" }
end

local function values(text)
  local found = {}
  for word in text:gmatch("%S+") do found[#found + 1] = value(word) end
  return found
end

local commands = {}

function commands.decode(raw)
  local it = coopsim.decode(from_hex(raw))
  local head = { it.id, it.target, it.tick, it.error, it.text, it.command }
  local words = { "message" }
  for _, each in ipairs(head) do words[#words + 1] = written(each) end
  words[#words + 1], words[#words + 2] = list(it.params), list(it.data, float)
  return table.concat(words, "\t")
end

function commands.encode(id, target, tick, command, params, data, run)
  local request = { id = value(id), target = value(target), tick = value(tick), command = value(command), run = value(run) }
  request.params, request.data = values(params), values(data)
  return "bytes\t" .. hex(coopsim.encode(request))
end

function commands.connect(address, seconds)
  commands.close()
  sim = coopsim.connect(address, tonumber(seconds))
  return "connected\t" .. written(sim.run)
end

local function connected() return sim or error { kind = "lost", text = "there is no connection" } end

function commands.ask(target, command, params, data)
  local reply = connected():ask(value(target), value(command), values(params), values(data))
  return table.concat({ "reply", written(reply.tick), list(reply.params), list(reply.data, float) }, "\t")
end

function commands.within(seconds, target, command, params, data)
  local reply = connected():ask_within(tonumber(seconds), value(target), value(command), values(params), values(data))
  return table.concat({ "reply", written(reply.tick), list(reply.params), list(reply.data, float) }, "\t")
end

function commands.reconnect()
  connected():reconnect()
  return "connected\t" .. written(sim.run)
end

function commands.use(name)
  clients[using] = sim
  using, sim = name, clients[name]
  return "using\t" .. name
end

function commands.time(count, target, command, params, data)
  local client, where, number = connected(), value(target), value(command)
  local given, numbers = values(params), values(data)
  local began = socket.gettime()
  for _ = 1, tonumber(count) do client:ask(where, number, given, numbers) end
  return "time\t" .. float(socket.gettime() - began)
end

function commands.steps(count, robots)
  local names = values(robots)
  local stepper = modules.Stepper.new(connected(), table.unpack(names))
  local began = socket.gettime()
  for _ = 1, tonumber(count) do
    for _, name in ipairs(names) do stepper:set_differential_drive(name, 0.25, 0.125) end
    local seen = stepper:step()
    for _, name in ipairs(names) do
      assert(#seen:sonars(name).ranges > 0 and seen:differential_drive(name).v <= 1, "it sees nothing, or is too fast")
    end
  end
  local seconds = socket.gettime() - began
  stepper:close()
  return "time\t" .. float(seconds)
end

function commands.state()
  local it = connected():state()
  return table.concat({ "state", written(it.target), written(it.tick), list(it.params), list(it.data, float) }, "\t")
end

function commands.close()
  if sim then sim:close() end
  sim = nil
  return "closed"
end

local function failure(problem)
  if type(problem) ~= "table" then return "failed\t" .. tostring(problem) end
  local words = { problem.kind, problem.text }
  if problem.kind == "refused" then words = { "refused", written(problem.number), list(problem.params), problem.text } end
  return table.concat(words, "\t")
end

for line in io.lines() do
  local words = {}
  for word in (line .. "\t"):gmatch("(.-)\t") do words[#words + 1] = word end
  local command = commands[table.remove(words, 1)]
  local is_done, answer = true, "unsupported"
  if command then is_done, answer = pcall(command, table.unpack(words)) end
  io.write(is_done and answer or failure(answer), "\n")
  io.flush()
end
