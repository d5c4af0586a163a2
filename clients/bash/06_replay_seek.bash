# Shows moments of a recording (`coopsim replay FILE`), which nobody can drive.
. ./program.bash
PAUSE=13 SEEK=14 POSE=10 SET_VELOCITY=10

ask /sim/playback $PAUSE
for moment in 1.0 2.0 0.5; do
    ask /sim/playback $SEEK -- $moment
    shown=${data[0]}
    ask /robot1/odometry $POSE
    printf '%.2f s: x %.3f m, y %.3f m\n' "$shown" "${data[0]}" "${data[1]}"
done
coopsim_ask /robot1/motors $SET_VELOCITY -- 0.3 0.0 || echo "refused with ${reply[error]}"
