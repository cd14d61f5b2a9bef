# What the steps in a Debian without systemd share, whose arguments are ROOT PACKAGE NEWER-PACKAGE. Sourced from the
# repository's folder; `steps` names the steps.
# shellcheck shell=bash
root=$1
cp "$2" "$root/first.deb"
cp "$3" "$root/second.deb"
units=$root/usr/lib/systemd/system
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/run"

fail() {
    echo "error: ${steps:?}: $1" >&2
    [ ! -s "$root/log" ] || tail -n 20 "$root/log" >&2
    exit 1
}
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}
# says TEXT COMMAND...: the command prints the text, whatever its exit code.
says() {
    local said
    said=$(inside "${@:2}" 2>&1) || true
    grep -qF -- "$1" <<<"$said" || fail "'${*:2}' does not say '$1' but: $said"
}
# setting UNIT KEY: the value in the unit, where a template is the team shop's.
setting() { sed -n "s/^$2=//p" "$units/$1" | sed 's/%i/shop/g'; }

# as_unit UNIT: runs what the unit runs, as systemd does: its user, its folders, its environment.
as_unit() {
    local user state run
    user=$(setting "$1" User)
    state=/var/lib/$(setting "$1" StateDirectory)
    run=$(setting "$1" RuntimeDirectory)
    inside install -d -o "$user" -g "$user" -m "$(setting "$1" StateDirectoryMode)" "$state"
    [ -z "$run" ] || inside install -d -o "$user" -g "$user" -m "$(setting "$1" RuntimeDirectoryMode)" "/run/$run"
    # shellcheck disable=SC2046
    exec chroot "$root" setpriv --reuid="$user" --regid="$user" --init-groups --no-new-privs --bounding-set=-all \
        env -i PATH=/usr/bin:/bin STATE_DIRECTORY="$state" ${run:+RUNTIME_DIRECTORY="/run/$run"} \
        CONFIGURATION_DIRECTORY=/etc/wfd $(setting "$1" Environment | sed 's/%b/a-boot/') \
        sh -c "umask $(setting "$1" UMask) && exec $(setting "$1" ExecStart) ${2:-}"
}
# start UNIT ADDRESS: returns when the daemon serves.
start() {
    as_unit "$1" >>"$root/log" 2>&1 &
    daemon=$!
    local said deadline=$((SECONDS + 60))
    until said=$(inside wfctl --address "$2" status 2>&1); do
        kill -0 "$daemon" 2>/dev/null && [ $SECONDS -lt $deadline ] || fail "$1 does not serve: $said"
    done
}
# reload: takes the settings, as the unit's ExecReload= does.
reload() {
    local command before deadline=$((SECONDS + 30))
    before=$(grep -c 'the settings were reloaded' "$root/log" || true)
    command=$(setting wfd.service ExecReload)
    eval "${command//\$MAINPID/$daemon}"
    until [ "$(grep -c 'the settings were reloaded' "$root/log")" -gt "$before" ]; do
        [ $SECONDS -lt $deadline ] || fail "no reload"
    done
}
stop() {
    kill "-$1" "$daemon"
    wait "$daemon" 2>/dev/null || [ "$1" = KILL ] || fail "wfd ends with $?"
}
socket=unix:/run/wfd/wfd.sock
