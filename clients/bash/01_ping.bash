# Asks what is there, and for something that is not.
. ./program.bash
LIST=10

ask /robot1/motors 0
echo "/robot1/motors is a ${params[0]#s:}"
ask /sim/names $LIST /robot1/
printf '%s\n' "${params[@]#s:}"
coopsim_ask /robotX/motors 0 || echo "refused with ${reply[error]}"
