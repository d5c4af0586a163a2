# Packs the library, and compiles and runs a program with the jar: packaged.sh FOLDER.
set -e
mvn -q -B -DskipTests -Dmaven.test.skip=true -Dbuild.folder="$1/build" package >&2
mkdir "$1/user"
sed 's/^package examples;//' src/main/java/examples/Typed08.java > "$1/user/Typed08.java"
cd "$1/user"
javac -Werror -cp "$(echo "$1"/build/coopsim-client-*.jar)" Typed08.java
java -XX:+UseSerialGC -cp ".:$(echo "$1"/build/coopsim-client-*.jar):$1/build/lib/*" Typed08
