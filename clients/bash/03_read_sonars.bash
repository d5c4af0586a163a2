# Reads the distances around a robot, and changes how far it sees.
. ./program.bash
RESET=14 RANGES=10 GET_PARAMETER=2 SET_PARAMETER=3

ask /sim/world $RESET
ask /robot1/sonars $RANGES
printf ranges
printf ' %.3f' "${data[@]}"
ask /robot1/sonars $GET_PARAMETER reach
reach=${params[0]}
ask /robot1/sonars $SET_PARAMETER reach f:2.0
printf '\nreach was %.1f m, is %.1f m\n' "${reach#f:}" "${params[0]#f:}"
ask /robot1/sonars $SET_PARAMETER reach "$reach"
