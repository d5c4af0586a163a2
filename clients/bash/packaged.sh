# Packs the client, installs it from the file into a folder of its own, and runs a program with it alone: packaged.sh FOLDER.
set -e
package=coopsim-bash-0.2.0
mkdir -p "$1/$package" "$1/user"
cp coopsim.bash install.sh README.md ../../LICENSE "$1/$package"
sed 's#^\. \./coopsim\.bash#. coopsim.bash#' program.bash > "$1/user/program.bash"
cp 02_drive.bash "$1/user"
cd "$1"
tar czf "$package.tar.gz" "$package"
rm -r "$package"
tar xzf "$package.tar.gz"
PREFIX="$1/prefix" sh "$package/install.sh" >&2
cd user
PATH="$1/prefix/bin:$PATH" bash 02_drive.bash
