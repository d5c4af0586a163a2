# Makes the archive of the module that a proxy serves, and a program of another module that gets it: packaged.sh PYTHON FOLDER.
set -e
module=coopsim.example/client version=v0.2.0
proxy=$2/proxy/$module/@v
mkdir -p "$proxy" "$2/user"
cp go.mod "$proxy/$version.mod"
printf '{"Version": "%s", "Time": "2026-01-01T00:00:00Z"}' $version > "$proxy/$version.info"
"$1" - "$proxy/$version.zip" "$module@$version" << 'END'
import pathlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for file in ["go.mod", "go.sum", "README.md", *map(str, pathlib.Path("coopsim").glob("*.go"))]:
        archive.write(file, f"{sys.argv[2]}/{file}")
END
cp cmd/08_typed/main.go "$2/user"
cd "$2/user"
export GOPROXY="file://$2/proxy,$(go env GOPROXY)" GONOSUMDB=$module GOMODCACHE="$(go env GOMODCACHE)" GOFLAGS=-modcacherw
export GOTOOLCHAIN=local GOWORK=off GODEBUG=goindex=0 # its index would know an older archive of this version
trap 'rm -rf "$GOMODCACHE/$module@$version" "$GOMODCACHE/cache/download/$module"' EXIT
go mod init example.com/user 2> /dev/null
go get $module/coopsim@$version > get.txt 2>&1 || { cat get.txt >&2; exit 1; }
go build -o user .
./user
