# Installs the library into a folder, and builds and runs a program by what pkg-config says of it: packaged.sh FOLDER.
set -e
make -s install PREFIX="$1/installed"
cp programs/08_typed.c programs/program.h "$1"
sed -i 's#"../\(coopsim[a-z_]*.h\)"#<\1>#' "$1/08_typed.c" "$1/program.h"
cd "$1"
export PKG_CONFIG_PATH="$1/installed/lib/pkgconfig" LD_LIBRARY_PATH="$1/installed/lib"
cc -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags coopsim) -o user 08_typed.c $(pkg-config --libs coopsim)
./user
