# Builds the wheel, installs it into a folder, and runs a program with what is there: packaged.sh PYTHON FOLDER.
set -e
mkdir "$2/source"
cp -r coopsim_client pyproject.toml README.md "$2/source"
"$1" -m pip wheel -q --no-deps -w "$2" "$2/source" >&2
"$1" -m pip install -q --no-deps --target "$2/site" "$2"/coopsim_client-*.whl >&2
test -f "$2/site/coopsim_client/py.typed"
cp 08_typed.py "$2"
cd "$2"
PYTHONPATH=site "$1" 08_typed.py
