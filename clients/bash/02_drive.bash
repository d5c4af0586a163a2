# Drives a robot in an arc, one request after the other.
. ./program.bash
RESET=14 RELEASE=15 SET_VELOCITY=10 STOP=12 POSE=10

ask /sim/world $RESET
for ((step = 0; step < 100; step++)); do
    ask /robot1/motors $SET_VELOCITY -- 0.4 0.2
    ask /robot1/odometry $POSE
done
pose=("${data[@]}")
ask /robot1/motors $STOP
printf 'robot1 drove to x %.3f m, y %.3f m, heading %.3f rad\n' "${pose[@]}"
ask /sim/step $RELEASE
