--- A client of coopsim: plain TCP by LuaSocket, msgpack by string.pack. Lua 5.3 or later.
--
--     local coopsim = require "coopsim"
--     local sim = coopsim.connect()
--     local ranges = sim:ask("/robot1/sonars", 10).data
--     sim:ask("/robot1/motors", 10, {}, {0.3, 0.1})
--
-- Errors are tables {kind = "refused" | "silent" | "lost" | "malformed", text = ..., number = ..., params = ...}.
local socket = require "socket"

local M = {}
local VERSION, LARGEST, MOST_STATES = 1, 1 << 20, 64
local PING, ELSEWHERE, WRONG_RUN = 0, 207, 208
local NUMBERS = {
  [0xca] = ">f", [0xcb] = ">d", [0xcc] = ">B", [0xcd] = ">I2", [0xce] = ">I4", [0xcf] = ">i8",
  [0xd0] = ">b", [0xd1] = ">i2", [0xd2] = ">i4", [0xd3] = ">i8",
}
local TEXTS = {
  [0xd9] = ">s1", [0xda] = ">s2", [0xdb] = ">s4", [0xc4] = ">s1", [0xc5] = ">s2", [0xc6] = ">s4",
}
local Problem = { __tostring = function(problem) return problem.text end }

local function fail(kind, text, more)
  local problem = setmetatable(more or {}, Problem)
  problem.kind, problem.text = kind, text
  error(problem, 0)
end

--- Call a function of a client and return what it returns, or nil and the problem; faults of the program go on.
function M.try(call, ...)
  local results = table.pack(pcall(call, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  if type(results[2]) ~= "table" or results[2].kind == nil then error(results[2], 0) end
  return nil, results[2]
end

-- messages and their bytes

local function pack_whole(value)
  if value >= 0 then
    if value < 0x80 then return string.pack("B", value) end
    if value <= 0xff then return string.pack(">BB", 0xcc, value) end
    if value <= 0xffff then return string.pack(">BI2", 0xcd, value) end
    if value <= 0xffffffff then return string.pack(">BI4", 0xce, value) end
    return string.pack(">BI8", 0xcf, value)
  end
  if value >= -32 then return string.pack("b", value) end
  return string.pack(">Bi8", 0xd3, value)
end

local function pack_list(values, pack)
  local parts = { string.pack(">BI2", 0xdc, #values) }
  if #values < 16 then parts[1] = string.pack("B", 0x90 + #values) end
  if #values > 0xffff then parts[1] = string.pack(">BI4", 0xdd, #values) end
  for _, value in ipairs(values) do parts[#parts + 1] = pack(value) end
  return table.concat(parts)
end

local function pack_float(value) return string.pack(">Bd", 0xcb, value) end

local function pack_text(text)
  if #text < 32 then return string.pack("B", 0xa0 + #text) .. text end
  return #text < 0x10000 and string.pack(">Bs2", 0xda, text) or string.pack(">Bs4", 0xdb, text)
end

local function pack_param(value)
  if type(value) == "string" then return pack_text(value) end
  return math.type(value) == "integer" and pack_whole(value) or pack_float(value)
end

--- Return the bytes of a request; its run 0 or nil = for whichever is there.
function M.encode(request)
  local has_run = (request.run or 0) ~= 0
  return table.concat {
    string.pack("BB", has_run and 0x9a or 0x99, VERSION), pack_whole(request.id), pack_text(request.target),
    pack_whole(request.tick or 0), "\0\xa0", pack_whole(request.command),
    pack_list(request.params or {}, pack_param), pack_list(request.data or {}, pack_float),
    has_run and pack_whole(request.run) or "",
  }
end

local unpack_value

local function unpack_list(raw, at, count)
  local values = {}
  for place = 1, count do values[place], at = unpack_value(raw, at) end
  return values, at
end

function unpack_value(raw, at)
  local code = string.byte(raw, at)
  if code < 0x80 then return code, at + 1 end
  if code >= 0xe0 then return code - 256, at + 1 end
  if code >= 0x90 and code < 0xa0 then return unpack_list(raw, at + 1, code - 0x90) end
  if code >= 0xa0 and code < 0xc0 then
    local length = code - 0xa0
    return string.unpack("c" .. length, raw, at + 1)
  end
  if NUMBERS[code] then
    local value, after = string.unpack(NUMBERS[code], raw, at + 1)
    -- Lua has no integers beyond 2^63
    if code == 0xcf and value < 0 then value = value + 2.0 ^ 64 end
    return value, after
  end
  if TEXTS[code] then return string.unpack(TEXTS[code], raw, at + 1) end
  if code == 0xdc or code == 0xdd then
    local count, after = string.unpack(code == 0xdc and ">I2" or ">I4", raw, at + 1)
    return unpack_list(raw, after, count)
  end
  fail("malformed", string.format("code %d is no type that messages have", code))
end

--- Whether a number is a uint: Lua holds those beyond 2^63 as floats.
local function is_whole(value) return value >= 2.0 ^ 63 or math.type(value) == "integer" and value >= 0 end

local function floats(data)
  local values = {}
  if type(data) == "string" then
    assert(#data % 8 == 0, "data of a length that no floats have")
    for at = 1, #data, 8 do values[#values + 1] = (string.unpack("<d", data, at)) end
  else
    for place, value in ipairs(data) do
      assert(type(value) == "number", "a datum that is no number")
      values[place] = math.type(value) == "integer" and value + 0.0 or value
    end
  end
  return values
end

--- Return an array, or the bytes of a bin; Lua has one type for these and for texts.
local function unpack_data(raw, at)
  local code = string.byte(raw, at)
  local is_bin = code and code >= 0xc4 and code <= 0xc6
  local data = unpack_value(raw, at)
  assert(is_bin or type(data) == "table", "data of the wrong type")
  return data
end

local function fields_of(raw)
  local code = string.byte(raw, 1)
  local at = ({ [0xdc] = 4, [0xdd] = 6 })[code] or 2
  assert(code >= 0x99 and code <= 0x9f or at > 2, "no array of nine fields")
  -- later versions append fields, which are not read
  local fields, data_at = unpack_list(raw, at, 8)
  assert(fields[1] == VERSION, "another version")
  for place, kind in ipairs { "number", "number", "string", "number", "number", "string", "number", "table" } do
    assert(type(fields[place]) == kind and (kind ~= "number" or is_whole(fields[place])), "a field of the wrong type")
  end
  for _, param in ipairs(fields[8]) do assert(type(param) ~= "table", "an array among the params") end
  fields[9] = floats(unpack_data(raw, data_at))
  return fields
end

--- Return the message of some bytes.
function M.decode(raw)
  local fits, fields = pcall(fields_of, raw)
  if not fits then fail("malformed", "the server sent no message: " .. tostring(fields)) end
  return {
    id = fields[2], target = fields[3], tick = fields[4], error = fields[5], text = fields[6], command = fields[7],
    params = fields[8], data = fields[9],
  }
end

-- a connection: messages, each behind its length

local Link = {}
Link.__index = Link

local function start_link(address, timeout)
  local host, port = address:gsub("^tcp://", ""):match("^(.*):(%d+)$")
  local connection = socket.tcp()
  connection:settimeout(timeout)
  local connected, problem = connection:connect(host or "", tonumber(port) or 0)
  if not connected then fail("lost", string.format("no simulation at %s: %s", address, problem)) end
  connection:setoption("tcp-nodelay", true)
  return setmetatable({ socket = connection, host = host, inbox = "" }, Link)
end

--- Send a message; half of one that did not go in time would make nonsense of all that follow.
function Link:send(raw, deadline)
  self.socket:settimeout(math.max(deadline - socket.gettime(), 0), "t")
  local sent, problem = self.socket:send(string.pack(">s4", raw))
  self.socket:settimeout(nil, "t")
  if sent then return end
  self.socket:close()
  fail("lost", "the simulation is gone: " .. problem)
end

--- Return exactly so many bytes; what came of them before the deadline is kept for later.
function Link:take(size, deadline)
  while #self.inbox < size do
    self.socket:settimeout(math.max(deadline - socket.gettime(), 0))
    local part, problem, some = self.socket:receive(size - #self.inbox)
    self.inbox = self.inbox .. (part or some or "")
    if problem == "timeout" then
      fail("silent", "no reply in time: is the simulation paused, or waiting for another robot?")
    elseif problem then
      fail("lost", "the simulation is gone: " .. problem)
    end
  end
end

function Link:receive(deadline)
  self:take(4, deadline)
  local length = string.unpack(">I4", self.inbox)
  if length > LARGEST then
    self.socket:close()
    fail("malformed", string.format("the server announced a message of %d bytes", length))
  end
  self:take(4 + length, deadline)
  local raw = self.inbox:sub(5)
  self.inbox = ""
  return raw
end

-- a client of one run

local Client = {}
Client.__index = Client

--- Connect to host:port; by default what COOPSIM_TCP says, or 127.0.0.1:5571. Time-out in seconds.
function M.connect(address, timeout)
  address, timeout = address or os.getenv("COOPSIM_TCP") or "127.0.0.1:5571", timeout or 5
  local sim = setmetatable({ address = address, timeout = timeout, number = 0 }, Client)
  sim:open()
  return sim
end

--- Connect and learn the run: from now on another one refuses what is meant for this one.
function Client:open()
  self.link, self.run, self.elsewhere, self.states = start_link(self.address, self.timeout), nil, {}, {}
  local answered, reply = pcall(self.ask, self, "/sim/clock", PING)
  if not answered then
    self:close()
    error(reply, 0)
  end
  self.run = reply.params[2]
end

--- Connect anew, to the same run; "refused" with 208 when another one is there, which `connect` may drive.
function Client:reconnect()
  local run = self.run
  self:close()
  local opened, problem = pcall(self.open, self)
  local there = self.run
  self.run = run
  if not opened then error(problem, 0) end
  if there == run then return end
  self:close()
  error({ kind = "refused", number = WRONG_RUN, text = "another run is at " .. self.address, params = { there } }, 0)
end

--- Ask with a time-out of its own [s], for writing and for the reply.
function Client:ask_within(timeout, target, command, params, data)
  local usual = self.timeout
  self.timeout = timeout
  local answered, reply = pcall(self.ask, self, target, command, params, data)
  self.timeout = usual
  if not answered then error(reply, 0) end
  return reply
end

--- Send a request and return its reply.
function Client:ask(target, command, params, data)
  local request = { target = target, command = command, params = params, data = data }
  local there = self.elsewhere[target]
  if not there then
    request.run = self.run
    local reply = self:exchange(self.link, request)
    local address = reply.error == ELSEWHERE and reply.params[2] or ""
    if address == "" then return self.checked(reply) end
    there = start_link(address:gsub("0%.0%.0%.0", self.link.host), self.timeout)
    self.elsewhere[target], request.run = there, nil
  end
  local answered, reply = pcall(self.exchange, self, there, request)
  if not answered then
    -- where it is gone, the next request asks where it is now
    if type(reply) ~= "table" or reply.kind ~= "silent" then
      there.socket:close()
      self.elsewhere[target] = nil
    end
    error(reply, 0)
  end
  return self.checked(reply)
end

--- Send several requests to the simulation, then wait for all replies, as a STEP in parts needs it: tables as ask takes them.
function Client:ask_all(requests)
  local deadline, first = socket.gettime() + self.timeout, self.number + 1
  for _, request in ipairs(requests) do
    self.number = self.number + 1
    request.id, request.run = self.number, self.run
    self.link:send(M.encode(request), deadline)
  end
  local replies, left = {}, #requests
  while left > 0 do
    local reply = self:sort(self.link:receive(deadline))
    local place = reply and reply.id - first + 1 or 0
    if requests[place] and not replies[place] then replies[place], left = self.checked(reply), left - 1 end
  end
  return replies
end

--- Wait for the next state of a topic that was subscribed to: sim:ask("/sim/info", 11, {topic}).
function Client:state()
  local deadline = socket.gettime() + self.timeout
  while #self.states == 0 do self:sort(self.link:receive(deadline)) end
  return table.remove(self.states, 1)
end

function Client:close()
  self.link.socket:close()
  for _, link in pairs(self.elsewhere) do link.socket:close() end
end

function Client:exchange(link, request)
  self.number = self.number + 1
  request.id = self.number
  local deadline = socket.gettime() + self.timeout
  link:send(M.encode(request), deadline)
  while true do
    local reply = self:sort(link:receive(deadline))
    -- what came too late for an earlier request goes by
    if reply and reply.id == self.number then return reply end
  end
end

--- Return a reply, keep a state; an empty message is a probe.
function Client:sort(raw)
  if raw == "" then return nil end
  local message = M.decode(raw)
  if message.id ~= 0 then return message end
  if #self.states == MOST_STATES then table.remove(self.states, 1) end
  table.insert(self.states, message)
end

function Client.checked(reply)
  if reply.error == 0 then return reply end
  fail("refused", string.format("error %d: %s", reply.error, reply.text), { number = reply.error, params = reply.params })
end

return M
