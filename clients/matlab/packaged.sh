# Packs a package of Octave, installs it from the file into a folder of its own, and runs a program with it alone: packaged.sh FOLDER.
set -e
mkdir -p "$1/coopsim-0.2.0/inst" "$1/prefix"
cp DESCRIPTION "$1/coopsim-0.2.0"
cp ../../LICENSE "$1/coopsim-0.2.0/COPYING"
cp Coopsim*.m coopsim_*.m "$1/coopsim-0.2.0/inst"
cp 08_typed.m "$1/program.m"
cd "$1"
tar czf coopsim-0.2.0.tar.gz coopsim-0.2.0
rm -r coopsim-0.2.0
octave() { octave-cli --norc --no-history --eval "pkg('prefix', '$PWD/prefix', '$PWD/prefix'); pkg('local_list', '$PWD/list'); $1"; }
octave "pkg('install', 'coopsim-0.2.0.tar.gz');" > log 2>&1 || { cat log >&2; exit 1; }
octave "pkg('load', 'coopsim'); program"
