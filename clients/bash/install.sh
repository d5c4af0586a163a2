# Installs the client, so that `. coopsim.bash` finds it wherever a script stands: PREFIX=/usr/local sh install.sh
set -e
bin="${PREFIX:-/usr/local}/bin"
mkdir -p "$bin"
cp "$(dirname "$0")/coopsim.bash" "$bin/coopsim.bash"
echo "installed $bin/coopsim.bash; that folder has to be in PATH"
