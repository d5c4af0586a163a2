# Answers the lines of docs/conformance.md, for `coopsim conformance client`.
. ./coopsim.bash

put_value() { # put_value WORD: as the examination writes it
    case $1 in
        i:*) answer+=$1 ;;
        f:*) coopsim_bits "${1#f:}" && answer+=f:$REPLY ;;
        *) _hex "${1#s:}" && answer+=s:$REPLY ;;
    esac
}

put_list() {
    local word between=
    answer+=$'\t'
    for word; do answer+=$between && put_value "$word" && between=' '; done
}

floats() { # floats NUMBER...: words of data
    REPLIES=()
    for REPLY; do REPLIES+=("f:$REPLY"); done
}

put_lists() {
    put_list "${params[@]}"
    floats "${data[@]}"
    put_list "${REPLIES[@]}"
}

value() { # value WORD: what the examination wrote
    case $1 in
        s:*) _text "${1#s:}" && REPLY=s:$REPLY ;;
        f:*) coopsim_number "${1#f:}" && REPLY=f:$REPLY ;;
        *) REPLY=$1 ;;
    esac
}

lists() { # lists PARAMS DATA: the arguments of a request
    local word
    REPLIES=()
    for word in $1; do value "$word" && REPLIES+=("$REPLY"); done
    REPLIES+=(--)
    for word in $2; do value "$word" && REPLIES+=("${REPLY#?:}"); done
}

failure() { # failure OUTCOME
    local names=('' refused silent lost malformed)
    answer=${names[$1]}
    if (($1 == COOPSIM_REFUSED)); then
        answer+=$'\t'i:${reply[error]}
        put_lists
    fi
    answer+=$'\t'$problem
}

decode() {
    local name
    coopsim_decode "$1" || { failure $?; return; }
    answer=message
    for name in i:id s:target i:tick i:error s:text i:command; do
        answer+=$'\t'
        put_value "${name%%:*}:${reply[${name#*:}]}"
    done
    put_lists
}

encode() {
    local target
    value "$2" && target=${REPLY#s:}
    lists "$5" "$6"
    coopsim_encode "${1#i:}" "$target" "${3#i:}" "${4#i:}" "${7#i:}" "${REPLIES[@]}"
    answer=bytes$'\t'$REPLY
}

ask() {
    local target
    value "$1" && target=${REPLY#s:}
    lists "$3" "$4"
    coopsim_ask "$target" "${2#i:}" "${REPLIES[@]}" || { failure $?; return; }
    answer=reply$'\t'i:${reply[tick]}
    put_lists
}

state() {
    coopsim_state || { failure $?; return; }
    answer=state$'\t'
    put_value "s:${reply[target]}"
    answer+=$'\t'i:${reply[tick]}
    put_lists
}

time_asks() {
    local count=$1 target words began=${EPOCHREALTIME/./}
    value "$2" && target=${REPLY#s:}
    lists "$4" "$5"
    words=("${REPLIES[@]}")
    for (( ; count > 0; count--)); do coopsim_ask "$target" "${3#i:}" "${words[@]}" || { failure $?; return; }; done
    printf -v began '%d.%06d' $(((${EPOCHREALTIME/./} - began) / 1000000)) $(((${EPOCHREALTIME/./} - began) % 1000000))
    coopsim_bits "$began"
    answer=time$'\t'f:$REPLY
}

while IFS= read -r line; do
    mapfile -d $'\t' -t words <<< "$line"
    words[-1]=${words[-1]%$'\n'}
    answer=unsupported
    case ${words[0]} in
        decode | encode | ask | state) "${words[@]}" ;;
        time) time_asks "${words[@]:1}" ;;
        connect) if coopsim_connect "${words[1]}" "${words[2]}"; then answer=connected$'\t'i:$coopsim_run; else failure $?; fi ;;
        close) coopsim_close && answer=closed ;;
    esac
    printf '%s\n' "$answer"
done
