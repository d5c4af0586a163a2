# Installs the library with CMake, and builds and runs a program that finds the package: packaged.sh FOLDER.
set -e
cmake -S . -B "$1/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_INSTALL_PREFIX="$1/installed" > "$1/log" || { cat "$1/log" >&2; exit 1; }
cmake --build "$1/build" --target install > "$1/log" || { cat "$1/log" >&2; exit 1; }
mkdir "$1/user"
sed 's#"../\(coopsim[a-z_]*.hpp\)"#<\1>#' programs/08_typed.cpp > "$1/user/user.cpp"
cat > "$1/user/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.18)
project(user LANGUAGES CXX)
find_package(coopsim 0.2 REQUIRED)
add_executable(user user.cpp)
target_compile_options(user PRIVATE -Wall -Wextra -Werror)
target_link_libraries(user PRIVATE coopsim::coopsim)
END
cmake -S "$1/user" -B "$1/user/build" -DCMAKE_PREFIX_PATH="$1/installed" > "$1/log" 2>&1 || { cat "$1/log" >&2; exit 1; }
cmake --build "$1/user/build" > "$1/log" 2>&1 || { cat "$1/log" >&2; exit 1; }
"$1/user/build/user"
