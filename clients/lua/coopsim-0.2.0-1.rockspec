rockspec_format = "3.0"
package = "coopsim"
version = "0.2.0-1"
source = { url = "file://." }
description = {
  summary = "A client of coopsim, a simulator of robots: plain TCP and msgpack, modules by name",
  license = "MIT",
}
dependencies = { "lua >= 5.3", "luasocket" }
test = { type = "command", script = "tests/tests.lua" }
build = {
  type = "none",
  install = {
    lua = {
      coopsim = "coopsim.lua",
      coopsim_errors = "coopsim_errors.lua",
      coopsim_json = "coopsim_json.lua",
      coopsim_events = "coopsim_events.lua",
      coopsim_modules = "coopsim_modules.lua",
      coopsim_stepping = "coopsim_stepping.lua",
      coopsim_values = "coopsim_values.lua",
    },
  },
}
