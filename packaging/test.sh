#!/usr/bin/env bash
# Makes a package of the programs in a folder, checks it with lintian, and tries it in a small Debian: test.sh PROGRAMS
#
# The small Debian is made once, by debootstrap, and each run has a copy of it. No systemd runs there: the daemon is
# started as its unit says, as the unit's user and with the folders of the unit.
set -euo pipefail
programs=$(realpath -e "${1:?usage: test.sh PROGRAMS}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Where CI is true, all of this is there.
leave_out() {
    echo "package: $1"
    [ "${CI:-}" != true ] || exit 1
}
[ "$(id -u)" -eq 0 ] || { leave_out "not tried, that needs root" && exit 0; }
command -v apt-get dpkg-deb unshare >/dev/null || { leave_out "not tried, this is no Debian" && exit 0; }
tools=()
for tool in debootstrap lintian dpkg-dev python3 iproute2 openssl; do
    [ -e "/usr/share/doc/$tool" ] || tools+=("$tool")
done
if [ ${#tools[@]} -gt 0 ]; then
    echo "Installing ${tools[*]}, to make and try the package"
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y "${tools[@]}"; } >/dev/null 2>&1 ||
        { leave_out "not tried, ${tools[*]} cannot be installed" && exit 0; }
fi

work=$(mktemp -d)
lintian=
trap '[ -z "$lintian" ] || kill "$lintian" 2>/dev/null || true; rm -rf "$work"' EXIT
export PACKAGE_PROGRAMS=$programs PACKAGE_COMPRESSION=none
make --no-print-directory --silent install built="$programs" LINK=static DESTDIR="$work/root" PREFIX=/usr
first=$(packaging/deb.sh "$work/root" "$work")
second=$(packaging/deb.sh "$work/root" "$work" "$(dpkg-deb --field "$first" Version)+next")
rm -rf "$work/root"
if command -v man >/dev/null; then
    dpkg-deb --fsys-tarfile "$first" | tar -x -C "$work" --wildcards './usr/share/man/*'
    for page in "$work"/usr/share/man/man?/*; do
        said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || { echo "error: $page: $said" >&2; exit 1; }
    done
fi
# What only a package of debug programs has is not looked for: the path of Swift's libraries, no compression.
lintian --allow-root --fail-on error --suppress-tags \
    custom-library-search-path,uses-no-compression-for-control-tarball,uses-no-compression-for-data-tarball \
    "$first" >"$work/lintian" 2>&1 &
lintian=$!

# A Debian of this host's release, since the programs are linked to its libraries, with all that the package needs, and
# what Swift's library of XML needs, which programs for debugging have as a file.
# shellcheck source=/dev/null
system=.build/$(. /etc/os-release && echo "$VERSION_CODENAME")
needed=$(dpkg-deb --field "$first" Depends | sed -E 's/ \([^)]*\)//g; s/systemd \| //; s/, /,/g'),libxml2
if [ "$(cat "$system/.needed" 2>/dev/null)" != "$needed" ]; then
    echo "Making a small Debian in $system; later runs take it"
    rm -rf "$system"
    debootstrap --variant=minbase --include="$needed" "${system#.build/}" "$system.part" >"$work/debootstrap" 2>&1 ||
        { tail -n 5 "$work/debootstrap" >&2; rm -rf "$system.part"; leave_out "not tried, see above" && exit 0; }
    echo "$needed" >"$system.part/.needed"
    mv "$system.part" "$system"
fi
others=(container)
# Another host is a network namespace, whose cable to the server is a pair of virtual devices: not every kernel has
# them.
if said=$(unshare --net ip link add wfd0 type veth peer name shop0 2>&1); then
    others+=(remote)
else
    echo "package: not tried from another host: $said"
fi
for steps in package "${others[@]}"; do
    cp -a "$system" "$work/$steps"
    # The programs look for Swift's libraries where they were built.
    libraries=$(ldd "$programs/wfd" | sed -nE 's|.* => (/.*/swift/linux)/.*|\1|p' | head -n 1)
    .ci/runtime.sh "$work/$steps$libraries" "$programs/wfd" "$programs/wfctl"
    # Processes and mounts go with the steps, however they end.
    network=
    [ $steps != remote ] || network=--net
    unshare --mount --pid $network --fork --kill-child --mount-proc \
        packaging/$steps-steps.sh "$work/$steps" "$first" "$second"
done

status=0
wait "$lintian" || status=$?
lintian=
if [ "$status" -ne 0 ]; then
    cat "$work/lintian" >&2
    exit 1
fi
echo "package: lintian finds no error"
