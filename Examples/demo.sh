#!/usr/bin/env bash
# An order moves through its states, an impossible event is refused, the daemon is killed with SIGKILL, and nothing is
# lost. Then another order charges a card and is packed, while the service fails and the daemon and the worker are
# killed. Every command is real, and so is what it prints; a step that does not do what the story says ends the demo
# with an error.
#
# Leaves nothing behind but the build in .build: the daemon's files are in a temporary folder, and both go when it ends.
# With --stay the daemon runs until Enter, and an address for a browser is printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

stays=
case "$*" in
    "") ;;
    --stay) stays=yes ;;
    *) echo "usage: Examples/demo.sh [--stay]" >&2 && exit 64 ;;
esac

.ci/packages.sh
echo "Building wfd and wfctl for debugging; the first time this takes a few minutes."
.ci/swift.sh build --explicit-target-dependency-import-check error --product wfd
.ci/swift.sh build --explicit-target-dependency-import-check error --product wfctl

folder=$(mktemp -d /tmp/wfd-demo.XXXXXX)
daemon=
options=()
others=()
leave() {
    for process in $daemon "${others[@]}"; do
        { kill -KILL "$process" && wait "$process" || true; } 2>/dev/null
    done
    rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT TERM

# wfd finds its places in these, and wfctl finds wfd; on a machine of your own you need neither.
unset STATE_DIRECTORY RUNTIME_DIRECTORY WFCTL_ADDRESS
export XDG_STATE_HOME=$folder/state XDG_RUNTIME_DIR=$folder/run
mkdir -m 700 "$XDG_STATE_HOME" "$XDG_RUNTIME_DIR"
PATH=$PWD/.build/debug:$PATH

. Examples/story.sh

# Starts wfd and waits until it answers.
start_daemon() {
    printf '$ wfd %s&\n' "${options[*]}${options:+ }"
    wfd "${options[@]}" 2>>"$folder/wfd.log" &
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

# end_demo TEXT: says how to look at all this in a browser, or keeps the daemon for it until Enter.
end_demo() {
    echo
    echo "That was it$1"
    if [ -z "$stays" ]; then
        echo "'make demo STAY=1' shows it in a browser, too."
        exit 0
    fi
    say "An order under review, and a parcel that fails: nobody has said what a kilogram costs."
    options+=(--listen "unix:$XDG_RUNTIME_DIR/wfd.sock" --listen 127.0.0.1:0)
    start_daemon
    run 0 "started in draft" "wfctl start order order-1044 --version 1"
    run 0 "review.legal.pending" "wfctl send order-1044 submit --data '{\"amount\": 1250}'"
    cat >"$folder/parcel.yaml" <<'YAML'
id: parcel
initial: packing
context: {perKilo: 0, price: 0}
states:
  packing:
    on:
      weigh: {actions: {send: count}}
      count: {target: sent, actions: {assign: {price: 60 / context.perKilo}}}
  sent: {}
YAML
    run 0 "parcel: version 1" "wfctl apply $folder/parcel.yaml"
    run 0 "started in packing" "wfctl start parcel parcel-7"
    run 5 "division by zero" "wfctl send parcel-7 weigh"
    say "Open this address in a browser within a minute. To mend the parcel, set perKilo to 2, and retry."
    run 0 "/console/?code=" "wfctl console"
    printf '\nAnother address: %s --address unix:%s console\n' "$(command -v wfctl)" "$XDG_RUNTIME_DIR/wfd.sock"
    echo "Enter ends the daemon and the demo."
    read -r _ || true
    end_daemon "" 0
    exit 0
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
if ! command -v python3 >/dev/null; then
    end_demo ". The second half needs python3, which is not here."
fi

# in_background COMMAND: shows and starts a command; its number is in $started, what it prints in payments.log.
in_background() {
    printf '$ %s &\n' "$1"
    eval "exec $1" >>"$folder/payments.log" 2>>"$folder/other.log" &
    started=$!
    others+=("$started")
}

say "A payment service that fails twice for each order: once before it has charged the card, and once after."
in_background "python3 Examples/shop/payments.py 8402 2"
until_true "the payment service listens" "grep -q listening '$folder/other.log'"

say "Its token is a file, and beside it stands where it may go. wfd may call this machine, and no other."
mkdir "$folder/secrets"
echo 'the token of the shop' >"$folder/secrets/pay_token"
echo 'http://127.0.0.1:8402' >"$folder/secrets/pay_token.origins"
options=(--allow-http 127.0.0.1 --secrets "$folder/secrets")
start_daemon
run 0 "version 2" "wfctl apply Examples/shop/order.yaml"
run 0 "started in paying" "wfctl start order order-1043 --data '{\"items\": [\"pen\"]}'"

say "The daemon is killed while the service fails. Started again, it asks on, with the same key."
until_true "the service has failed" "wfctl effects order-1043 -o json | grep -q http-status"
end_daemon "-9 " 137
start_daemon
until_true "the card is charged" "wfctl show order-1043 | grep -q packing"

say "A worker takes the order and is killed with it. When its lease has run out, another one has it."
in_background "wfctl work stock --lease 5 --exec tail -- -f /dev/null"
until_true "the worker has the order" "wfctl effects order-1043 | grep -q leased"
printf '$ kill -9 %s\n' "$started"
{ kill -9 "$started" && wait "$started" || true; } 2>/dev/null
in_background "python3 Examples/shop/stock.py $XDG_RUNTIME_DIR/wfd.sock"
until_true "the order is shipped" "wfctl show order-1043 | grep -q shipped"
until_true "the mail is sent" "grep -q 'on its way' '$folder/payments.log'"
run 0 "done.invoke.packing" "wfctl history order-1043"
run 0 "order-1043: charged 5" "cat '$folder/payments.log'"
[ "$(grep -c 'order-1043: charged' "$folder/payments.log")" -eq 1 ] || fail "the card was not charged once"
end_daemon "" 0
end_demo ": every event that was answered is in the history, and the card was charged once."
