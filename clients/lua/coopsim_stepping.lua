--- Steps of many robots in one message: what it takes and gives, by robot, module and name.
local json = require "coopsim_json"

local M = {}
local STEP, LAYOUT, DO, CLAIM, RELEASE, PART = "/sim/step", 10, 11, 13, 15, 18
local STALE, PAGE = 206, 1000
-- of one message: shorter than 1 MiB with names of 128 letters
local MOST_ROBOTS, MOST_VALUES = 2000, 65536

local function malformed(text) error({ kind = "malformed", text = text }, 0) end

--- Return where each value of a robot's row stands, behind the rows of others.
local function add(rows, robot, length, columns)
  local spans = {}
  rows.starts[#rows.starts + 1] = rows.length
  for _, column in ipairs(columns) do
    local module, name, _, start, count = table.unpack(column)
    spans[module] = spans[module] or {}
    spans[module][name] = { rows.length + start + 1, rows.length + start + count }
  end
  rows.spans[robot], rows.length = spans, rows.length + length
end

local function span(rows, robot, module, name)
  local modules = rows.spans[robot]
  local names = modules and modules[module]
  local place = names and names[name]
  if not place then malformed(string.format("%s has no %s.%s in a step", robot, module, name)) end
  return place[1], place[2]
end

--- What a step gave.
M.RawReadings = {}
M.RawReadings.__index = M.RawReadings

--- Return one value.
function M.RawReadings:number(robot, module, name)
  local first = span(self.rows, robot, module, name)
  return self.data[first]
end

--- Return a run of values.
function M.RawReadings:numbers(robot, module, name)
  local first, last = span(self.rows, robot, module, name)
  return table.move(self.data, first, last, 1, {})
end

--- Steps robots; the last command of one holds until there is another.
M.RawStepper = {}
M.RawStepper.__index = M.RawStepper

--- Claim robots and learn what a step of them takes and gives; without names all of them.
function M.RawStepper.claimed(stepper, client, robots)
  stepper.client, stepper.robots = client, robots
  stepper:learn()
  for _, group in ipairs(stepper.groups) do client:ask(STEP, CLAIM, stepper:names(group)) end
  return stepper
end

--- Ask what a step takes and gives; commands begin with 0.
function M.RawStepper:learn()
  local kinds, names, count, first = {}, {}, PAGE, 0
  while count == PAGE do
    local page = json.decode(self.client:ask(STEP, LAYOUT, { first, PAGE }).params[1])
    for _, row in ipairs(page.robots) do
      kinds[row[1]], names[#names + 1] = page.types[row[2]], row[1]
    end
    count, first, self.generation = #page.robots, first + PAGE, page.generation
  end
  if #self.robots == 0 then self.robots = names end
  self.takes, self.gives, self.commands = { length = 0, starts = {}, spans = {} }, { length = 0, starts = {}, spans = {} }, {}
  for _, robot in ipairs(self.robots) do
    local kind = kinds[robot] or malformed(string.format("no robot %s is in the layout of a step", robot))
    add(self.takes, robot, kind.takes_length, kind.takes)
    add(self.gives, robot, kind.gives_length, kind.gives)
  end
  for place = 1, self.takes.length do self.commands[place] = 0.0 end
  self:group()
end

--- Return how many values the robots from one to another have in a message.
local function size(rows, first, last) return (rows.starts[last + 1] or rows.length) - rows.starts[first] end

--- Put robots together that fit one message.
function M.RawStepper:group()
  local first = 1
  self.groups = {}
  for last = 1, #self.robots do
    local most = math.max(size(self.takes, first, last), size(self.gives, first, last))
    if last - first == MOST_ROBOTS or most > MOST_VALUES then
      self.groups[#self.groups + 1] = { first, last - 1 }
      first = last
    end
  end
  self.groups[#self.groups + 1] = { first, #self.robots }
end

function M.RawStepper:names(group) return table.move(self.robots, group[1], group[2], 1, {}) end

--- Set a value, or a run of values, of the next command of a robot.
function M.RawStepper:put(robot, module, name, values)
  local first, last = span(self.takes, robot, module, name)
  if #values ~= last - first + 1 then
    error(string.format("%s.%s takes %d values, got %d", module, name, last - first + 1, #values), 3)
  end
  table.move(values, 1, #values, first, self.commands)
end

--- Do a step and return its readings; when the scene has changed, robots begin anew with commands of 0.
function M.RawStepper:raw_step()
  local is_done, reply = pcall(self.exchange, self)
  if not is_done then
    if type(reply) ~= "table" or reply.number ~= STALE then error(reply, 0) end
    self:learn()
    reply = self:exchange()
  end
  if #reply.data ~= self.gives.length then malformed(string.format("%d readings instead of %d", #reply.data, self.gives.length)) end
  return setmetatable({ tick = reply.tick, data = reply.data, rows = self.gives }, M.RawReadings)
end

--- Ask for a step; robots that fit no message together are stepped in parts, by one tick for all.
function M.RawStepper:exchange()
  if #self.groups == 1 then return self.client:ask(STEP, DO, { self.generation, table.unpack(self.robots) }, self.commands) end
  local requests = {}
  for place, group in ipairs(self.groups) do
    local first = self.takes.starts[group[1]]
    local commands = table.move(self.commands, first + 1, first + size(self.takes, group[1], group[2]), 1, {})
    local names = self:names(group)
    table.insert(names, 1, self.generation)
    requests[place] = { target = STEP, command = place == #self.groups and DO or PART, params = names, data = commands }
  end
  local joined = { params = { self.generation }, data = {} }
  for _, reply in ipairs(self.client:ask_all(requests)) do
    joined.tick = reply.tick
    table.move(reply.params, 2, #reply.params, #joined.params + 1, joined.params)
    table.move(reply.data, 1, #reply.data, #joined.data + 1, joined.data)
  end
  return joined
end

--- Give the robots back.
function M.RawStepper:close()
  for _, group in ipairs(self.groups) do self.client:ask(STEP, RELEASE, self:names(group)) end
end

return M
