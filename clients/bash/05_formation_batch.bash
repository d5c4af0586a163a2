# Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings.
. ./program.bash
RESET=14 LAYOUT=10 STEP=11 CLAIM=13 RELEASE=15 POSE=10
ROBOTS=(robot1 robot2 robot3)
STEPS=60

ask /sim/world $RESET
ask /sim/step $LAYOUT
lengths=("${data[@]}")
ask /sim/step $CLAIM "${ROBOTS[@]}"
for ((step = 0; step < STEPS; step++)); do
    ((step % 80 < 40)) && turn=0.25 || turn=-0.25
    ask /sim/step $STEP i:0 "${ROBOTS[@]}" -- 0.25 "$turn" 0.3125 "$turn" 0.375 "$turn"
done
printf '%d readings a step, %.0f of each robot\n' ${#data[@]} "${lengths[1]}"
for name in "${ROBOTS[@]}"; do
    ask "/$name/odometry" $POSE
    printf '%s: x %.3f m, y %.3f m\n' "$name" "${data[0]}" "${data[1]}"
done
ask /sim/step $RELEASE
