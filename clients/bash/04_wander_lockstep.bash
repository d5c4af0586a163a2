# Wanders without a collision: in lockstep each reading is of the step that the last command made.
. ./program.bash
RESET=14 RELEASE=15 RANGES=10 SET_VELOCITY=10 POSE=10
STEPS=90

decide() { # decide DISTANCE...: v and w, turning to the side with more room; bash itself has whole numbers alone
    read -r v w < <(printf '%.17g ' "$@" | awk '
        function least(from, to,   place, found) {
            found = $from + 0
            for (place = from; place <= to; place++) if ($place + 0 < found) found = $place + 0
            return found
        }
        {
            middle = int(NF / 2) + 1
            right = least(1, middle)
            left = least(middle, NF)
            if (least(middle - 1, middle + 1) < 0.6) print 0, (left >= right ? 0.8 : -0.8)
            else printf "%.17g %.17g\n", 0.4, 0.4 * (left - right) / (left + right + 0.1)
        }')
}

ask /sim/world $RESET
for ((step = 1; step <= STEPS; step++)); do
    ask /robot1/sonars $RANGES
    decide "${data[@]}"
    ask /robot1/motors $SET_VELOCITY -- "$v" "$w"
    if ((step % 30 == 0)); then
        ask /robot1/odometry $POSE
        printf 'step %d: x %.3f m, y %.3f m\n' $step "${data[0]}" "${data[1]}"
    fi
done
ask /sim/step $RELEASE
