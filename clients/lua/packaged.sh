# Packs a rock, installs it from the file into a tree of its own, and runs a program with it alone: packaged.sh FOLDER.
set -e
export HOME="$1" # of the cache of luarocks
cp ./*.lua ./*.rockspec "$1"
cp 08_typed.lua "$1/program"
cd "$1"
rocks() { luarocks --lua-version 5.4 --tree "$PWD/tree" "$@" > log 2>&1 || { cat log >&2; exit 1; }; }
# LuaSocket is the package of the system, of which luarocks knows nothing
rocks make --deps-mode none coopsim-0.2.0-1.rockspec
rocks pack coopsim
rocks remove coopsim
rm ./*.lua
rocks install --deps-mode none coopsim-0.2.0-1.all.rock
export LUA_PATH="$PWD/tree/share/lua/5.4/?.lua;;"
lua5.4 program
