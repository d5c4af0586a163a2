--- Reads JSON, as the layout of a step is written; nothing else is here.
local M = {}
local DEEPEST = 32
local ESCAPES = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ["/"] = "/", ["\\"] = "\\", ['"'] = '"' }
local WORDS = { ["true"] = true, ["false"] = false }

local function bad(position) error({ kind = "malformed", text = "no JSON at " .. position }, 0) end

local function skipped(text, position) return text:find("[^ \t\r\n]", position) or #text + 1 end

local function text_at(text, position)
  local parts, first = {}, position + 1
  while true do
    local stop = text:find('["\\]', first) or bad(first)
    parts[#parts + 1] = text:sub(first, stop - 1)
    if text:sub(stop, stop) == '"' then return table.concat(parts), stop + 1 end
    local code = text:match("^u(%x%x%x%x)", stop + 1)
    parts[#parts + 1] = code and utf8.char(tonumber(code, 16)) or ESCAPES[text:sub(stop + 1, stop + 1)] or bad(stop)
    first = stop + (code and 6 or 2)
  end
end

local value_at

local function members(text, position, depth, close, add)
  position = skipped(text, position + 1)
  if text:sub(position, position) == close then return position + 1 end
  while true do
    position = skipped(text, add(position, depth + 1))
    local mark = text:sub(position, position)
    if mark == close then return position + 1 end
    if mark ~= "," then bad(position) end
    position = skipped(text, position + 1)
  end
end

value_at = function(text, position, depth)
  if depth > DEEPEST then bad(position) end
  local mark, result = text:sub(position, position), {}
  if mark == '"' then return text_at(text, position) end
  if mark == "[" then
    return result, members(text, position, depth, "]", function(first, level)
      local value, next_position = value_at(text, first, level)
      result[#result + 1] = value
      return next_position
    end)
  end
  if mark == "{" then
    return result, members(text, position, depth, "}", function(first, level)
      if text:sub(first, first) ~= '"' then bad(first) end
      local key, colon = text_at(text, first)
      colon = skipped(text, colon)
      if text:sub(colon, colon) ~= ":" then bad(colon) end
      local value, next_position = value_at(text, skipped(text, colon + 1), level)
      result[key] = value
      return next_position
    end)
  end
  local word = text:match("^[%a]+", position) or text:match("^[-+%d.eE]+", position) or bad(position)
  local value = tonumber(word)
  if value == nil then value = WORDS[word] end
  if value == nil and word ~= "null" then bad(position) end
  return value, position + #word
end

--- Return what a text of JSON says; null is nil.
function M.decode(text)
  local value, position = value_at(text, skipped(text, 1), 0)
  if skipped(text, position) <= #text then bad(position) end
  return value
end

return M
