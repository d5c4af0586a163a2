#!/bin/sh
# Runs a program by the name that it has in every language: ./run.sh 02_drive
case $1 in
  01_ping) main=examples.Ping01 ;;
  02_drive) main=examples.Drive02 ;;
  03_read_sonars) main=examples.ReadSonars03 ;;
  04_wander_lockstep) main=examples.WanderLockstep04 ;;
  05_formation_batch) main=examples.FormationBatch05 ;;
  06_replay_seek) main=examples.ReplaySeek06 ;;
  07_stream) main=examples.Stream07 ;;
  08_typed) main=examples.Typed08 ;;
  conformance) main=coopsim.Conformance ;;
  *) echo "there is no program $1" >&2; exit 2 ;;
esac
here=$(dirname "$0")
exec java -XX:+UseSerialGC -cp "$here/target/classes:$here/target/lib/*" "$main"
