--- Values of a reply by type and place; what is missing, or of another type, is no message.
local M = {}

local function malformed(text) error({ kind = "malformed", text = "the server sent " .. text }, 0) end

--- Return the list of some values, of which a table is a run.
function M.joined(...)
  local list = {}
  for _, value in ipairs { ... } do
    if type(value) == "table" then table.move(value, 1, #value, #list + 1, list) else list[#list + 1] = value end
  end
  return list
end

local function at(list, start, wanted)
  local value = list[start < 0 and #list + start + 1 or start + 1]
  if value == nil or not wanted(value) then malformed(string.format("no such value at %d of %d", start, #list)) end
  return value
end

local function any() return true end
local function is_text(value) return type(value) == "string" end
local function is_number(value) return type(value) == "number" end
local function is_whole(value) return math.type(value) == "integer" end

--- Return a datum, or a param of some type; `start` below 0 counts from the end.
function M.number_at(reply, start) return at(reply.data, start, is_number) end

function M.float_at(reply, start) return at(reply.params, start, is_number) + 0.0 end

function M.whole_at(reply, start) return at(reply.params, start, is_whole) end

function M.text_at(reply, start) return at(reply.params, start, is_text) end

function M.value_at(reply, start) return at(reply.params, start, any) end

--- Return a run of values, or one of the equal parts that it is divided into; a count of 0 = all up to `behind` at the end.
local function run(list, start, count, behind, part, parts)
  local first = start < 0 and #list + start or start
  local all = count > 0 and count or #list - (behind or 0) - first
  parts = parts or 1
  if first < 0 or all < 0 or first + all > #list or all % parts ~= 0 then
    malformed(string.format("a reply of %d values", #list))
  end
  local share = all // parts
  local begin = first + (part or 0) * share
  return table.move(list, begin + 1, begin + share, 1, {})
end

--- Return a run of data.
function M.numbers(reply, ...) return run(reply.data, ...) end

--- Return a run of params.
function M.params(reply, ...) return run(reply.params, ...) end

--- Return a run of params that are texts.
function M.texts(reply, ...)
  local list = run(reply.params, ...)
  for _, value in ipairs(list) do
    if not is_text(value) then malformed "a value that is no text" end
  end
  return list
end

return M
