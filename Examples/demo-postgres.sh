#!/usr/bin/env bash
# Two daemons on one database of PostgreSQL. The one that owns the data is killed, and the other goes on; then the
# server of the database is killed and started again. Every command is real, and so is what it prints; a step that does
# not do what the story says ends the demo with an error.
#
# The server is a private one in a temporary folder, which goes with it when the demo ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

.ci/packages.sh
programs=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -n 1 || true)
if [ -z "$programs" ]; then programs=$(dirname "$(command -v initdb || true)"); fi
if [ ! -x "$programs/initdb" ]; then
    echo "error: PostgreSQL is not installed: sudo apt-get install postgresql" >&2
    exit 69
fi
echo "Building wfd and wfctl for debugging; the first time this takes a few minutes."
.ci/swift.sh build --explicit-target-dependency-import-check error --product wfd
.ci/swift.sh build --explicit-target-dependency-import-check error --product wfctl

folder=$(mktemp -d /tmp/wfd-demo.XXXXXX)
declare -A daemons=()
# The server refuses to run as root.
as_server() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
    as_server() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
fi
server() { (cd "$folder/server" && as_server "$programs/pg_ctl" -D data -l log -w "$@") >>"$folder/other.log" 2>&1; }
leave() {
    for process in "${daemons[@]}"; do
        { kill -KILL "$process" && wait "$process" || true; } 2>/dev/null
    done
    server -m immediate stop || true
    rm -rf "$folder"
}
trap leave EXIT
trap 'exit 130' INT TERM
unset STATE_DIRECTORY RUNTIME_DIRECTORY WFCTL_ADDRESS
PATH=$PWD/.build/debug:$PATH
. Examples/story.sh

chmod 711 "$folder"
mkdir -m 700 "$folder/server"
if [ "$(id -u)" -eq 0 ]; then chown postgres:postgres "$folder/server"; fi
(cd "$folder/server" && as_server "$programs/initdb" -D data -U wfd -A trust -E UTF8 --locale=C.UTF-8 \
    --no-instructions) >>"$folder/other.log" 2>&1 || fail "the server could not be made"
# The socket is in a folder that wfd may enter.
mkdir -m 777 "$folder/socket"
settings="-c listen_addresses='' -c port=5432 -c unix_socket_directories='$folder/socket'"
server -o "$settings" start || fail "the server did not start"
as_server "$programs/createdb" -h "$folder/socket" -U wfd -E UTF8 -T template0 flows
export url="postgres:///flows?user=wfd&host=$folder/socket"

# start_daemon NAME: starts a daemon that listens at NAME.sock and for the others, and waits until it answers.
start_daemon() {
    printf '%s\n' "\$ wfd --database \"\$url\" --listen unix:$1.sock --peer 127.0.0.1:0 &"
    wfd --database "$url" --listen "unix:$folder/$1.sock" --peer 127.0.0.1:0 2>>"$folder/wfd.log" &
    daemons[$1]=$!
    until_true "the daemon answers" "wfctl --address unix:$folder/$1.sock machines"
}

# at NAME: sends the following commands to a daemon.
at() {
    export WFCTL_ADDRESS=unix:$folder/$1.sock
    printf '%s\n' "\$ export WFCTL_ADDRESS=unix:$1.sock"
}

say "A server of PostgreSQL, with an empty database that becomes a store."
run 0 "is a store now" "wfd init \"\$url\""

say "Two daemons: the first owns the data, the second stands by."
start_daemon a
start_daemon b
at b
until_true "both are there" "[ \"\$(wfctl daemons -o jsonl | grep -c '\"peer\"')\" -eq 2 ]"
run 0 "standby" "wfctl daemons"

say "A standby takes every request, and hands it to the owner."
run 0 "order: version 1" "wfctl apply Examples/order.yaml"
run 0 "started in draft" "wfctl start order order-1042"
run 0 "draft -> review.legal.pending, review.finance.pending" "wfctl send order-1042 submit --data '{\"amount\": 1250}'"
wfctl history order-1042 -o jsonl >"$folder/before"

say "The owner is killed. The other daemon takes its place, and this event waits for it."
printf '$ kill -9 %s\n' "${daemons[a]}"
{ kill -9 "${daemons[a]}" && wait "${daemons[a]}" || true; } 2>/dev/null
unset 'daemons[a]'
begin=$(date +%s%N)
run 0 "seq 2 -> 3" "wfctl send order-1042 legal.ok --key legal-1042"
echo "It took $((($(date +%s%N) - begin) / 1000000)) ms."
run 0 "1 of 1" "wfctl daemons"

say "The server is killed, too. Started again, everything is there, and the order goes on."
echo '$ pg_ctl -m immediate restart'
server -m immediate stop || fail "the server did not stop"
server -o "$settings" start || fail "the server did not start again"
until_true "the daemon writes again" "wfctl send order-1042 finance.ok --key finance-1042"
run 0 "awaiting_payment" "wfctl show order-1042"
wfctl history order-1042 -o jsonl | head -n "$(wc -l <"$folder/before")" | cmp -s - "$folder/before" ||
    fail "the history does not begin as before the kills"
[ "$(wfctl history order-1042 -o jsonl | wc -l)" -eq 4 ] || fail "the history has not 4 rows"
run 0 "finance.ok" "wfctl history order-1042"

say "Stopped with SIGTERM, the daemon answers what it has begun."
kill "${daemons[b]}"
wait "${daemons[b]}" || fail "the daemon did not end well"
unset 'daemons[b]'
echo
echo "That was it: no event that was answered was lost or done twice."
