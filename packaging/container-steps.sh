#!/usr/bin/env bash
# Carries out the Containerfile in a folder, and runs what it makes as an engine would: container-steps.sh ROOT PACKAGE
#
# The root is read-only, /var/lib/wfd is a volume, /run/wfd is in memory, and wfd is the first process: once with the
# owners that podman and Docker give, once with those of Kubernetes. Run as root in namespaces of its own for mounts and
# processes; packaging/test.sh does so.
set -euo pipefail
root=$1
package=$2
cd "$(dirname "${BASH_SOURCE[0]}")"
volume=$root.volume
log=$root.log
mkdir "$volume"
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"

fail() {
    echo "error: the container: $1" >&2
    [ ! -s "$log" ] || tail -n 20 "$log" >&2
    exit 1
}
variables=(PATH=/usr/sbin:/usr/bin:/sbin:/bin)
user=0
stop=TERM
# words JSON: the texts of a list.
words() { grep -o '"[^"]*"' <<<"$1" | tr -d '"'; }

# The lines of the file, with continued ones joined. The folder has all that the package needs, so nothing is fetched.
while read -r verb rest; do
    case $verb in
    FROM | VOLUME | '#'* | '') ;;
    RUN) chroot "$root" env -i "${variables[@]}" DEBIAN_FRONTEND=noninteractive \
        sh -ec "${rest/apt-get update/true}" >"$log" 2>&1 || fail "RUN $rest" ;;
    COPY) cp "$package" "$root${rest##* }" ;;
    ENV) read -ra more <<<"$rest" && variables+=("${more[@]}") ;;
    USER) user=$rest ;;
    STOPSIGNAL) stop=${rest#SIG} ;;
    HEALTHCHECK) mapfile -t health < <(words "$rest") ;;
    ENTRYPOINT) mapfile -t entry < <(words "$rest") ;;
    CMD) mapfile -t command < <(words "$rest") ;;
    *) fail "nothing carries out $verb" ;;
    esac
done < <(sed -e ':a' -e '/\\$/{N;s/\\\n *//;ba' -e '}' Containerfile)
[ "$user" = "$(chroot "$root" id -u wfd):$(chroot "$root" id -g wfd)" ] || fail "$user is not the package's user"

# An engine gives a new volume the owner and mode of its place in the image, and so does a memory file system here.
chown --reference="$root/var/lib/wfd" "$volume" && chmod --reference="$root/var/lib/wfd" "$volume"
mount --bind "$volume" "$root/var/lib/wfd"
mount -t tmpfs -o "uid=${user%:*},gid=${user#*:},mode=0750" tmpfs "$root/run/wfd"
mount -o remount,bind,ro "$root"
! touch "$root/tmp/file" 2>/dev/null || fail "the root is not read-only"
enter=(chroot "$root" setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups --no-new-privs
    --bounding-set=-all env -i "${variables[@]}" WFD_PLACE=shop-1)
# run: wfd as the first process of its namespace, until the health check is content. The namespace has a /proc of its
# own: Swift's runtime looks up its threads there, and ends the program if one is missing.
run() {
    unshare --pid --fork --kill-child --mount-proc="$root/proc" \
        "${enter[@]}" "${entry[@]}" "${command[@]}" >>"$log" 2>&1 &
    engine=$!
    local said deadline=$((SECONDS + 60))
    until said=$("${enter[@]}" "${health[@]}" 2>&1); do
        kill -0 "$engine" 2>/dev/null && [ $SECONDS -lt $deadline ] || fail "it is not healthy: $said"
    done
    first=$(cat "/proc/$engine/task/$engine/children")
    first=${first% }
}
: >"$log"
run
"${enter[@]}" wfctl apply /usr/share/doc/wfd/examples/order.yaml >/dev/null
"${enter[@]}" wfctl start order order-1 >/dev/null
"${enter[@]}" wfctl send order-1 submit --data '{"amount": 1250}' >/dev/null
kill "-$stop" "$first"
deadline=$((SECONDS + 45))
while kill -0 "$first" 2>/dev/null; do
    [ $SECONDS -lt $deadline ] || fail "it takes longer to stop than it has"
done
wait "$engine" || fail "it ends with $?"
# Kubernetes gives both volumes to the group (fsGroup), and leaves the files in them alone (OnRootMismatch).
chown 0 "$volume" && chmod 2770 "$volume"
mount -t tmpfs -o "uid=0,gid=${user#*:},mode=2777" tmpfs "$root/run/wfd"
run
[[ $("${enter[@]}" wfctl history order-1) == *submit* ]] || fail "the event is not there after a restart"
! "${enter[@]}" wfctl status | grep -q held || fail "effects are held after a restart"
kill "-$stop" "$first"
wait "$engine" || fail "it ends with $?"
echo "package: the steps of the Containerfile make one that serves, stops, and serves again in a pod"
