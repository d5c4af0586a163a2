# Sees every state of a robot without asking for it.
. ./program.bash
RESET=14 SUBSCRIBE=11 CLAIM=13 STEP=11 RELEASE=15
FIRST_NAME=8 # of the params of a state; the values of the body follow the time

ask /sim/world $RESET
ask /sim/step $CLAIM robot1
ask /sim/info $SUBSCRIBE /robot1
for ((number = 1; number <= 50; number++)); do
    ask /sim/step $STEP i:0 robot1 -- 0.4 0.1
    tick=${reply[tick]}
    until coopsim_state || die && ((reply[tick] >= tick)); do :; done
    if ((number % 10 == 0)); then
        printf 'step %d: %s is at x %.3f m, y %.3f m\n' $number "${params[FIRST_NAME]#s:}" "${data[1]}" "${data[2]}"
    fi
done
ask /sim/step $RELEASE
