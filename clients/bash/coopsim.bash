# A client of coopsim for bash 5: plain TCP by /dev/tcp, messages as hexadecimal digits, and three programs of coreutils 8.31.
#
#     . ./coopsim.bash
#     coopsim_connect                            # COOPSIM_TCP=host:port, or 127.0.0.1:5571
#     coopsim_ask /robot1/sonars 10              # the reply: ${reply[tick]}, "${params[@]}", "${data[@]}"
#     coopsim_ask /robot1/motors 10 -- 0.3 0.1   # data stand behind --
#     coopsim_ask /robot1/sonars 3 reach f:2.0   # params before it: f:NUMBER, i:NUMBER, others are texts
#
# Functions return 0 or one of these; $problem says more in words, ${reply[error]} is the number of a refusal.
readonly COOPSIM_REFUSED=1 COOPSIM_SILENT=2 COOPSIM_LOST=3 COOPSIM_MALFORMED=4
readonly _LONG=400 _LARGEST=1048576 _MOST_STATES=64 _ELSEWHERE=207
LC_ALL=C # a byte is a character
declare -A reply=() _elsewhere=() _inbox=()
declare -a params=() data=() _states=()
coopsim_run=0 coopsim_timeout=5 problem='' _link='' _host='' _number=0

declare -A _DIGITS=() _texts=()
for _byte in {1..255}; do
    printf -v _digits %02x "$_byte"
    printf -v _char %b "\\x$_digits"
    _DIGITS["$_char"]=$_digits
done

# -- values and their bytes: each function leaves what it makes in REPLY

_hex() { # _hex TEXT: its bytes
    local at
    REPLY=
    for ((at = 0; at < ${#1}; at++)); do REPLY+=${_DIGITS["${1:at:1}"]}; done
}

_text() { # _text DIGITS: the text that these bytes are
    local at escaped=
    if [[ -z ${_texts[$1.]} ]]; then
        for ((at = 0; at < ${#1}; at += 2)); do escaped+="\\x${1:at:2}"; done
        printf -v "_texts[$1.]" %b "$escaped"
    fi
    REPLY=${_texts[$1.]}
}

_pack_text() {
    _hex "$1"
    if ((${#1} < 32)); then printf -v REPLY %02x%s $((0xa0 + ${#1})) "$REPLY"; else printf -v REPLY db%08x%s ${#1} "$REPLY"; fi
}

_pack_whole() {
    case $1 in
        -*) printf -v REPLY d3%016x "$1" ;;
        ? | ??) printf -v REPLY %02x "$1" ;;
        *) printf -v REPLY cf%016x "$1" ;;
    esac
}

coopsim_bits() { # coopsim_bits NUMBER: the 16 digits of a float64
    local digits exponent whole shift=11 up half
    if [[ $1 =~ ^(-?)0x1\.(.{13})p(.*)$ ]]; then # as coopsim_number makes it
        printf -v REPLY %03x%s $((BASH_REMATCH[3] + 1023 + 2048 * ${#BASH_REMATCH[1]})) "${BASH_REMATCH[2]}"
        return
    fi
    printf -v digits %a "$1" # of a long double: -0x9.8p-3
    exponent=$((${digits#*p} + 3)) digits=${digits#*0x}
    digits=${digits%p*}000000000000000
    digits=${digits/./}
    whole=$((16#${digits:0:16}))
    if ((whole)); then
        while ((whole > 0)); do whole=$((whole << 1)) exponent=$((exponent - 1)); done
        ((exponent >= -1022)) || shift=$((11 - 1022 - exponent)) exponent=-1023
        ((shift < 64)) || shift=63 whole=0
        up=$((whole & (1 << shift) - 1)) half=$((1 << shift - 1))
        whole=$(((whole >> 1 & ~(1 << 63)) >> shift - 1))
        ((exponent == -1023)) || whole=$((whole - (1 << 52)))
        ((up < half || (up == half && !(whole & 1)))) || whole=$((whole + 1))
        whole=$((whole + (exponent + 1023 << 52)))
    fi
    [[ $1 != -* ]] || whole=$((whole | 1 << 63))
    printf -v REPLY %016x $whole
}

coopsim_number() { # coopsim_number BITS: 16 digits of a float64 as a number that printf reads, 0x1.8p+1
    local head=$((16#${1:0:3})) sign=
    ((head < 2048)) || sign=-
    if ((head &= 2047)); then REPLY=${sign}0x1.${1:3}p$((head - 1023)); else REPLY=${sign}0x0.${1:3}p-1022; fi
}

_single() { # _single BITS: 8 digits of a float32 as a number
    local bits=$((16#$1)) sign=
    ((bits < 1 << 31)) || sign=-
    printf -v REPLY '%s0x%d.%06xp%d' "$sign" $(((bits >> 23 & 255) > 0)) $(((bits & 0x7fffff) << 1)) $(((bits >> 23 & 255) - 127 + !(bits >> 23 & 255)))
}

coopsim_encode() { # coopsim_encode ID TARGET TICK COMMAND RUN [PARAM...] [-- DATA...]: a request
    local raw=9901 word body='' count=0
    [[ $5 == 0 ]] || raw=9a01
    _pack_whole "$1" && raw+=$REPLY
    _pack_text "$2" && raw+=$REPLY
    _pack_whole "$3" && raw+=${REPLY}00a0
    _pack_whole "$4" && raw+=$REPLY
    local run=$5
    shift 5
    while (($#)) && [[ $1 != -- ]]; do
        case $1 in
            i:*) _pack_whole "${1#i:}" ;;
            f:*) coopsim_bits "${1#f:}" && REPLY=cb$REPLY ;;
            *) _pack_text "${1#s:}" ;;
        esac
        body+=$REPLY count=$((count + 1))
        shift
    done
    printf -v word dd%08x $count
    raw+=$word$body body= && shift
    for word; do coopsim_bits "$word" && body+=cb$REPLY; done
    printf -v word dd%08x $#
    raw+=$word$body
    [[ $run == 0 ]] || { _pack_whole "$run" && raw+=$REPLY; }
    REPLY=$raw
}

_take() { # _take BYTES: the next digits of $_raw
    REPLY=${_raw:_at:2*$1}
    ((_at += 2 * $1, ${#REPLY} == 2 * $1))
}

_value() { # the next value of $_raw: REPLY, and $_kind: i, f, s, b for bytes, a for an array, whose length it is
    _take 1 || return
    local code=$((16#$REPLY)) size
    _kind=i
    if ((code < 0x80)); then
        REPLY=$code
    elif ((code >= 0xe0)); then
        REPLY=$((code - 256))
    elif ((code >= 0x90 && code < 0xa0)); then
        _kind=a REPLY=$((code & 15))
    elif ((code >= 0xa0 && code < 0xc0)); then
        _kind=s && _take $((code & 31)) && _text "$REPLY"
    elif ((code >= 0xc4 && code <= 0xc6)); then
        _kind=b && _take $((1 << code - 0xc4)) && _take $((16#$REPLY))
    elif ((code == 0xcb)); then
        _kind=f && _take 8 && coopsim_number "$REPLY"
    elif ((code == 0xca)); then
        _kind=f && _take 4 && _single "$REPLY"
    elif ((code >= 0xcc && code <= 0xcf)); then
        _take $((1 << code - 0xcc)) && printf -v REPLY %u $((16#$REPLY))
    elif ((code >= 0xd0 && code <= 0xd3)); then
        size=$((1 << code - 0xd0))
        _take $size && REPLY=$((16#$REPLY << 64 - 8 * size >> 64 - 8 * size))
    elif ((code >= 0xd9 && code <= 0xdb)); then
        _kind=s && _take $((1 << code - 0xd9)) && _take $((16#$REPLY)) && _text "$REPLY"
    elif ((code == 0xdc || code == 0xdd)); then
        _kind=a && _take $((2 << code - 0xdc)) && REPLY=$((16#$REPLY))
    else
        return 1
    fi
}

_fields() { # reads $_raw into reply, params and data
    local name kinds='' left at _at=0
    reply=() params=() data=()
    _value && [[ $_kind == a ]] && ((REPLY >= 9)) || return
    for name in version id target tick error text command; do
        _value || return
        reply[$name]=$REPLY kinds+=$_kind
    done
    [[ $kinds == iisiisi && ${reply[version]} == 1 && ${reply[id]}${reply[tick]}${reply[error]}${reply[command]} != *-* ]] && _value && [[ $_kind == a ]] || return
    for ((left = REPLY; left > 0; left--)); do _value && [[ $_kind == [ifs] ]] && params+=("$_kind:$REPLY") || return; done
    _value || return
    left=$REPLY
    case $_kind in
        a)
            for (( ; left > 0; left--)); do
                # nearly all are float64
                if [[ ${_raw:_at:2} == cb ]]; then coopsim_number "${_raw:_at+2:16}" && ((_at += 18)); else _value && [[ $_kind == [if] ]] || return; fi
                data+=("$REPLY")
            done
            ;;
        b)
            ((${#left} % 16 == 0)) || return
            for ((at = 0; at < ${#left}; at += 16)); do _little "${left:at:16}" && data+=("$REPLY"); done
            ;;
        *) return 1 ;;
    esac
}

_little() { # _little BITS: a number whose bytes stand in reverse
    coopsim_number "${1:14:2}${1:12:2}${1:10:2}${1:8:2}${1:6:2}${1:4:2}${1:2:2}${1:0:2}"
}

coopsim_decode() { # coopsim_decode DIGITS: a message, into reply, params and data
    local _raw=$1 _kind
    _fields || _fail $COOPSIM_MALFORMED "the server sent no message of version 1"
}

_fail() {
    # shellcheck disable=SC2034 # it is for programs to print
    problem=$2
    return "$1"
}

# -- a connection: messages, each behind its length; what came of one before the deadline is kept for later

_open() { # _open HOST:PORT: REPLY is its number
    local place=${1#tcp://} link
    { exec {link}<> "/dev/tcp/${place%:*}/${place##*:}"; } 2> /dev/null || _fail $COOPSIM_LOST "no simulation at $1" || return
    _inbox[$link]=
    REPLY=$link
}

_fill() { # _fill LINK BYTES DEADLINE: until so many are in the inbox
    local missing=$(($2 - ${#_inbox[$1]} / 2))
    ((missing > 0)) || return 0
    if ((missing > _LONG)); then _read_many "$1" $missing "$3"; else _read "$1" $missing "$3"; fi
    case $? in
        0) ;;
        1) _fail $COOPSIM_LOST "the simulation is gone" ;;
        *) _fail $COOPSIM_SILENT "no reply in time: is it paused, or waiting for another robot?" ;;
    esac
}

_left() { # _left DEADLINE: the seconds until then, at least a microsecond
    local left=$(($1 - ${EPOCHREALTIME/./}))
    ((left > 0)) || left=1
    printf -v REPLY %d.%06d $((left / 1000000)) $((left % 1000000))
}

_read() { # _read LINK BYTES DEADLINE: bash cannot hold a zero byte, so one ends what is read at once
    local missing=$2 outcome=0 part
    while ((missing > 0 && outcome == 0)); do
        _left "$3"
        IFS= read -r -d '' -n "$missing" -t "$REPLY" -u "$1" part
        outcome=$?
        _hex "$part"
        ((missing -= ${#part}))
        ((outcome || missing == 0)) || { REPLY+="00" && ((missing--)); }
        _inbox[$1]+=$REPLY
    done
    return $outcome
}

_read_many() { # _read_many LINK BYTES DEADLINE: by programs, since a line of bash for each byte takes long
    local missing=$2 digits
    while ((missing > 0)); do
        _left "$3"
        # dd reads once, whatever is there: when its time is over nothing is lost that had come
        digits=$(timeout "$REPLY" dd bs="$missing" count=1 status=none <&"$1" | basenc --base16 -w0)
        [[ -n $digits ]] || break
        _inbox[$1]+=${digits,,} missing=$((missing - ${#digits} / 2))
    done
    ((missing == 0)) || return $((1 + (${EPOCHREALTIME/./} >= $3))) # 2: its time is over
}

_receive() { # _receive LINK DEADLINE: the digits of the next message
    _fill "$1" 4 "$2" || return
    local length=$((16#${_inbox[$1]:0:8}))
    ((length <= _LARGEST)) || _fail $COOPSIM_MALFORMED "the server announced a message of $length bytes" || return
    _fill "$1" $((4 + length)) "$2" || return
    REPLY=${_inbox[$1]:8}
    _inbox[$1]=
}

_send() { # _send LINK DIGITS: by another program, since bash writes what stands before a newline (10) by itself
    local raw
    printf -v raw %08X%s $((${#2} / 2)) "${2^^}"
    basenc --base16 -d <<< "$raw" 1>&"$1" 2> /dev/null || _fail $COOPSIM_LOST "the simulation is gone"
}

_deadline() { printf -v REPLY %.0f "$coopsim_timeout"e6 && REPLY=$((${EPOCHREALTIME/./} + REPLY)); }

_sorted() { # _sorted DIGITS: decodes a reply, keeps a state (id 0), passes over an empty message; whether it is a reply
    [[ -z $1 ]] && return 9
    coopsim_decode "$1" || return
    [[ ${reply[id]} == 0 ]] || return 0
    _states+=("$1")
    ((${#_states[@]} <= _MOST_STATES)) || _states=("${_states[@]:1}")
    return 9
}

# -- a client of one run

coopsim_connect() { # coopsim_connect [HOST:PORT [SECONDS]]; ends a former connection
    local place=${1:-${COOPSIM_TCP:-127.0.0.1:5571}}
    coopsim_close
    coopsim_timeout=${2:-5}
    _open "$place" || return
    _link=$REPLY _host=${place#tcp://}
    _host=${_host%:*}
    coopsim_ask /sim/clock 0 && coopsim_run=${params[1]#i:}
}

coopsim_ask() { # coopsim_ask TARGET COMMAND [PARAM...] [-- DATA...]
    [[ -n $_link ]] || _fail $COOPSIM_LOST "there is no connection" || return
    if [[ -z ${_elsewhere[$1]} ]]; then
        _exchange "$_link" "$coopsim_run" "$@" || return
        local address=${params[1]#s:}
        [[ ${reply[error]} == "$_ELSEWHERE" && -n $address ]] || { _checked; return; }
        _open "${address/0.0.0.0/"$_host"}" || return
        _elsewhere[$1]=$REPLY
    fi
    local there=${_elsewhere[$1]} outcome
    _exchange "$there" 0 "$@"
    outcome=$?
    if ((outcome == COOPSIM_LOST || outcome == COOPSIM_MALFORMED)); then # the next request asks where it is now
        exec {there}>&-
        unset "_elsewhere[$1]"
    fi
    ((outcome == 0)) || return $outcome
    _checked
}

coopsim_state() { # the next state of a topic that was subscribed to: coopsim_ask /sim/info 11 TOPIC
    local deadline outcome
    [[ -n $_link ]] || _fail $COOPSIM_LOST "there is no connection" || return
    _deadline && deadline=$REPLY
    while ((${#_states[@]} == 0)); do
        _receive "$_link" "$deadline" || return
        _sorted "$REPLY"
        outcome=$?
        ((outcome == 0 || outcome == 9)) || return $outcome
    done
    coopsim_decode "${_states[0]}"
    _states=("${_states[@]:1}")
}

coopsim_close() {
    local link
    for link in $_link "${_elsewhere[@]}"; do exec {link}>&-; done
    _link='' coopsim_run=0 _elsewhere=() _inbox=() _states=()
}

_exchange() { # _exchange LINK RUN TARGET COMMAND ...: sends a request and receives its reply
    local link=$1 run=$2 target=$3 command=$4 deadline outcome
    shift 4
    coopsim_encode $((++_number)) "$target" 0 "$command" "$run" "$@"
    _send "$link" "$REPLY" || return
    _deadline && deadline=$REPLY
    while true; do
        _receive "$link" "$deadline" || return
        _sorted "$REPLY"
        outcome=$?
        ((outcome == 0 || outcome == 9)) || return $outcome
        # what came too late for an earlier request goes by
        ((outcome)) || [[ ${reply[id]} != "$_number" ]] || return 0
    done
}

_checked() {
    [[ ${reply[error]} == 0 ]] || _fail $COOPSIM_REFUSED "error ${reply[error]}: ${reply[text]}"
}
