# What the numbered programs share: they end, with words, when something goes wrong.
. ./coopsim.bash

ask() { coopsim_ask "$@" || die; }

die() {
    echo "$problem" >&2
    exit 1
}

coopsim_connect || die
