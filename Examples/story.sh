# Functions of the demonstrations, which source this file. `folder` is a temporary folder; what wfd and other programs
# say is in its files wfd.log and other.log.

output=$folder/output

fail() {
    printf '\nThe demo failed: %s\n' "$1" >&2
    if [ -s "$folder/wfd.log" ]; then
        echo "wfd said:" >&2
        tail -n 20 "$folder/wfd.log" >&2
    fi
    if [ -s "$folder/other.log" ]; then
        echo "The other programs said:" >&2
        tail -n 20 "$folder/other.log" >&2
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

# until_true TEXT COMMAND: waits until a command succeeds, for a minute at most.
until_true() {
    local deadline=$((SECONDS + 60))
    until eval "$2" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || fail "waited in vain until $1"
    done
}
