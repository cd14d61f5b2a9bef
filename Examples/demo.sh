#!/usr/bin/env bash
# An order moves through its states, an impossible event is refused, the daemon is killed with SIGKILL, and nothing is
# lost. Every command is real, and so is what it prints; a step that does not do what the story says ends the demo with
# an error.
#
# Leaves nothing behind but the build in .build: the daemon's files are in a temporary folder, and both go when it ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

.ci/packages.sh
echo "Building wfd and wfctl for debugging; the first time this takes a few minutes."
.ci/swift.sh build --explicit-target-dependency-import-check error --product wfd
.ci/swift.sh build --explicit-target-dependency-import-check error --product wfctl

folder=$(mktemp -d /tmp/wfd-demo.XXXXXX)
daemon=
leave() {
    if [ -n "$daemon" ]; then
        { kill -KILL "$daemon" && wait "$daemon" || true; } 2>/dev/null
    fi
    rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT TERM

# wfd finds its places in these, and wfctl finds wfd; on a machine of your own you need neither.
unset STATE_DIRECTORY RUNTIME_DIRECTORY WFCTL_ADDRESS
export XDG_STATE_HOME=$folder/state XDG_RUNTIME_DIR=$folder/run
mkdir -m 700 "$XDG_STATE_HOME" "$XDG_RUNTIME_DIR"
PATH=$PWD/.build/debug:$PATH
output=$folder/output

fail() {
    printf '\nThe demo failed: %s\n' "$1" >&2
    if [ -s "$folder/wfd.log" ]; then
        echo "wfd said:" >&2
        tail -n 20 "$folder/wfd.log" >&2
    fi
    exit 1
}

say() { printf '\n# %s\n' "$1"; }

# run EXIT-CODE TEXT COMMAND: shows and runs a command, which must end with the code and print the text.
run() {
    local expected=$1 text=$2 command=$3 code=0
    printf '$ %s\n' "$command"
    eval "$command" >"$output" 2>&1 || code=$?
    cat "$output"
    [ "$code" -eq "$expected" ] || fail "'$command' ended with $code, not $expected"
    grep -qF -- "$text" "$output" || fail "'$command' did not print '$text'"
}

# Starts wfd and waits until it answers.
start_daemon() {
    printf '$ wfd &\n'
    wfd 2>>"$folder/wfd.log" &
    daemon=$!
    local deadline=$((SECONDS + 60))
    until wfctl machines >/dev/null 2>&1; do
        kill -0 "$daemon" 2>/dev/null || fail "wfd ended"
        [ "$SECONDS" -lt "$deadline" ] || fail "wfd did not answer within a minute"
    done
}

# end_daemon SIGNAL-OPTION EXIT-CODE: shows and runs a kill, and waits for the end, which must have the code.
end_daemon() {
    local command="kill $1$daemon" code=0
    printf '$ %s\n' "$command"
    # In braces, because the shell says on its own stderr that a child was killed.
    { $command && wait "$daemon" || code=$?; } 2>/dev/null
    daemon=
    [ "$code" -eq "$2" ] || fail "after '$command' wfd ended with $code, not $2"
}

say "A daemon, with its database in a folder of its own."
start_daemon

say "A definition becomes version 1 of a machine; an instance is one run of it."
run 0 "order: version 1" "wfctl apply Examples/order.yaml"
run 0 "started in draft" "wfctl start order order-1042"

say "Events take it from one state to the next. In review, two departments work side by side."
run 0 "draft -> review.legal.pending, review.finance.pending" "wfctl send order-1042 submit --data '{\"amount\": 1250}'"
run 0 "seq 2 -> 3" "wfctl send order-1042 legal.ok"
run 0 "awaiting_payment" "wfctl send order-1042 finance.ok"
run 0 "awaiting_payment -> packing   (seq 4 -> 5)" "wfctl send order-1042 pay --data '{\"card\": \"tok_9\"}'"

say "What is impossible now is refused, and changes nothing. The exit code is 5."
run 5 "order-1042 does not accept 'submit' in state 'packing' (seq 5)" "wfctl send order-1042 submit"

say "The daemon is killed. It gets no chance to write anything."
wfctl history order-1042 >"$folder/before"
end_daemon "-9 " 137
run 69 "is wfd running?" "wfctl show order-1042"

say "Started again, it goes on where it was, and the order can too."
start_daemon
run 0 "packing" "wfctl show order-1042"
wfctl history order-1042 | cmp -s - "$folder/before" || fail "the history is not the one from before the kill"
run 0 "packing -> shipped   (seq 5 -> 6, done)" "wfctl send order-1042 packed"
run 0 "shipped" "wfctl history order-1042"
[ "$(wfctl history order-1042 -o jsonl | wc -l)" -eq 6 ] || fail "the history has not 6 rows"

say "Stopped with SIGTERM, it answers what it has begun, and puts everything into the one database file."
end_daemon "" 0
[ ! -e "$XDG_STATE_HOME/wfd/wfd.db-wal" ] || fail "a write-ahead log was left"
[ ! -e "$XDG_RUNTIME_DIR/wfd.sock" ] || fail "the socket was left"
echo
echo "That was it: every event that was answered is in the history, before and after the kill."
