#!/usr/bin/env bash
# Makes a Debian package of what 'make install PREFIX=/usr DESTDIR=ROOT' installed: deb.sh ROOT FOLDER [VERSION]
#
# It adds to ROOT what only a package has, and prints the path of the package in FOLDER. Without VERSION it is the
# release of the code, where '-dev' is before all that follows.
set -euo pipefail
root=$(realpath -e "${1:?usage: deb.sh ROOT FOLDER [VERSION]}")
folder=$(realpath -m "${2:?usage: deb.sh ROOT FOLDER [VERSION]}")
version=${3:-}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for tool in dpkg-deb dpkg-shlibdeps python3; do
    command -v $tool >/dev/null || {
        echo "error: $tool is not here; on Debian and Ubuntu: sudo apt-get install dpkg-dev python3" >&2
        exit 1
    }
done
release=$(sed -nE 's/.* static let version = "(.*)"$/\1/p' Sources/WorkflowAPI/Daemon/Release.swift)
version=${version:-${release/-dev/\~dev}}
architecture=$(dpkg --print-architecture)
# The same commit makes the same package.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
maintainer="wfd maintainers <${DEBEMAIL:-maintainers@wfd.example}>"
share=$root/usr/share

# Completions and man pages come from the programs themselves. PACKAGE_PROGRAMS: others of the same code, where those of
# ROOT find their libraries in no other place than below ROOT.
programs=${PACKAGE_PROGRAMS:-$root/usr/bin}
install -d "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
for name in wfd wfctl; do
    "$programs/$name" --generate-completion-script=bash | sed 1d >"$share/bash-completion/completions/$name"
    "$programs/$name" --generate-completion-script=zsh >"$share/zsh/vendor-completions/_$name"
    "$programs/$name" --generate-completion-script=fish >"$share/fish/vendor_completions.d/$name.fish"
done
packaging/man.py "$programs/wfd" 8 "$share/man/man8"
packaging/man.py "$programs/wfctl" 1 "$share/man/man1"
install -m 644 packaging/wfd-backup.8 "$share/man/man8/"
gzip -9nf "$share"/man/man?/*

# Every key in a comment, with the service's places.
install -d "$root/etc/wfd"
env -i STATE_DIRECTORY=/var/lib/wfd RUNTIME_DIRECTORY=/run/wfd PATH="$PATH" \
    "$programs/wfd" config example >"$root/etc/wfd/wfd.yaml"

# The pages, the examples, the licences of what the programs carry, and the changes.
doc=$share/doc/wfd
install -d "$doc/examples"
cp -r docs/*.md docs/*.json docs/wfd.rules.yml README.md "$doc/"
cp -r Examples/*.yaml Examples/*.jsonl Examples/shop "$doc/examples/"
find "$doc" -type d -exec chmod 755 {} + , -type f -exec chmod 644 {} +
packaging/copyright.sh >"$doc/copyright"
printf 'wfd (%s) unstable; urgency=medium\n\n  * CHANGELOG.md.gz lists the changes.\n\n -- %s  %s\n' "$version" \
    "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
gzip -9nc CHANGELOG.md >"$doc/CHANGELOG.md.gz"
install -D -m 644 packaging/lintian-overrides "$share/lintian/overrides/wfd"

# The libraries that the programs need, by their packages; those of Swift are in the programs or beside them.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/debian"
install -d -m 755 "$root/DEBIAN"
printf 'Source: wfd\n\nPackage: wfd\nArchitecture: any\n' >"$work/debian/control"
libraries=("$root"/usr/lib/wfd/*.so)
[ -e "${libraries[0]}" ] || libraries=()
if ! (cd "$work" && dpkg-shlibdeps -Tneeded --ignore-missing-info "$root"/usr/bin/* "${libraries[@]}") \
    2>"$work/said"; then
    cat "$work/said" >&2
    exit 1
fi
needed=$(sed -n 's/^shlibs:Depends=//p' "$work/needed")

install -m 755 packaging/postinst packaging/prerm packaging/postrm "$root/DEBIAN/"
echo /etc/wfd/wfd.yaml >"$root/DEBIAN/conffiles"
(cd "$root" && find . -type f -not -path './DEBIAN/*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) \
    >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<END
Package: wfd
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $needed, tzdata, ca-certificates, systemd | systemd-standalone-sysusers
Recommends: libpq5
Section: database
Priority: optional
Description: daemon that keeps state machines alive for years
 wfd stores definitions of state machines, the state of each instance and its
 whole history in one SQLite file. An event moves an instance to its next state,
 or is refused. When a send returns, the event and all that follows are on disk.
 .
 The package has the daemon wfd, the command line wfctl, and units for systemd:
 the service, a template for a daemon of each team, and a daily backup.
END
mkdir -p "$folder"
package=$folder/wfd_${version}_$architecture.deb
dpkg-deb --root-owner-group -Z"${PACKAGE_COMPRESSION:-xz}" --build "$root" "$package" >/dev/null
echo "$package"
