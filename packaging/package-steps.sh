#!/usr/bin/env bash
# Walks a package through its life in a Debian without systemd: package-steps.sh ROOT PACKAGE NEWER-PACKAGE
#
# Run as root in namespaces of its own for mounts and processes; packaging/test.sh does so.
set -euo pipefail
steps="the package"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=packaging/steps.sh
source packaging/steps.sh
install() {
    local said
    said=$(inside dpkg --install "$1" 2>&1) || fail "$said"
}

# Installed: the user is there, the service is enabled, the file of settings says what it is.
install /first.deb
[ -n "$(inside getent passwd wfd)" ] || fail "no user wfd"
enabled=$root/etc/systemd/system/multi-user.target.wants/wfd.service
[ -L "$enabled" ] || fail "the service is not enabled"
[ -z "$(inside dpkg --verify wfd)" ] || fail "files differ from the package's"
inside wfd config check /etc/wfd/wfd.yaml || fail "its file of settings has a mistake"
says "#database: /var/lib/wfd/wfd.db" cat /etc/wfd/wfd.yaml

# A database of 0.1.0, as somebody has it who installed by hand.
inside install -d -o wfd -g wfd -m 700 /var/lib/wfd
cp Tests/Fixtures/0.1.0.db "$root/var/lib/wfd/wfd.db"
inside chown wfd:wfd /var/lib/wfd/wfd.db
start wfd.service $socket
says posted wfctl show p-6
[ -f "$root/var/lib/wfd/wfd.db.before-9" ] || fail "no copy of the database of 0.1.0"

# An event is there after kill -9, and after an upgrade, which keeps the settings.
inside wfctl apply /usr/share/doc/wfd/examples/order.yaml >/dev/null
inside wfctl start order order-1 >/dev/null
inside wfctl send order-1 submit --data '{"amount": 1250}' --key once >/dev/null
stop KILL
start wfd.service $socket
says "(seq 1 -> 2)" wfctl send order-1 submit --data '{"amount": 1250}' --key once
echo 'allow-host: [wfd.example]' >>"$root/etc/wfd/wfd.yaml"
install /second.deb
says "+next" dpkg-query --show wfd
says "allow-host: [wfd.example]" cat /etc/wfd/wfd.yaml
stop TERM
start wfd.service $socket
says submit wfctl history order-1

# A reload takes the settings.
echo 'log-level: debug' >>"$root/etc/wfd/wfd.yaml"
reload

# Two copies are kept, and the new one is handed on; without a daemon there is none.
for old in 20200101T000000Z 20200102T000000Z; do
    inside install -D -o wfd /dev/null "/var/lib/wfd/backups/wfd-$old.db"
done
inside chown wfd:wfd /var/lib/wfd/backups
(as_unit wfd-backup.service "--keep 2 --then 'cp \"\$1\" /tmp/handed.db'") >>"$root/log" 2>&1 || fail "no backup"
copies=$(cd "$root/var/lib/wfd/backups" && echo *)
[[ $copies == "wfd-20200102T000000Z.db wfd-202"* ]] || fail "these backups are kept: $copies"
says "no difference" wfd verify /tmp/handed.db
says "backup:    20" wfctl status
(WFCTL_ADDRESS=unix:/none as_unit wfd-backup@.service) >/dev/null 2>&1 && fail "a backup without a daemon"

# A team's own daemon has its own user, file, folder and socket, and nothing of the other.
inside useradd --system --user-group --home-dir /var/lib/wfd-shop --shell /usr/sbin/nologin wfd-shop
other=$daemon
(as_unit wfd@.service) >"$root/refused" 2>&1 && fail "a team without a file of settings"
grep -q '/etc/wfd/shop.yaml' "$root/refused" || fail "not said that the team's file is missing"
cp "$root/etc/wfd/wfd.yaml" "$root/etc/wfd/shop.yaml"
start wfd@.service unix:/run/wfd-shop/wfd.sock
inside wfctl --address unix:/run/wfd-shop/wfd.sock list >"$root/listed"
! grep -q order-1 "$root/listed" || fail "the team sees the other's instances"
[ -f "$root/var/lib/wfd-shop/wfd.db" ] || fail "no database of the team's own"
says "Not permitted" setpriv --reuid=wfd-shop --regid=wfd-shop --init-groups wfctl --address $socket list
(as_unit wfd-backup@.service) >>"$root/log" 2>&1 || fail "no backup of the team's"
stop TERM
daemon=$other

# Removed, then purged: the data stays, and how to delete it is said. Installed again, it serves the same.
stop TERM
inside dpkg --remove wfd >/dev/null
[ ! -e "$root/usr/bin/wfd" ] && [ -e "$root/etc/wfd/wfd.yaml" ] || fail "remove"
says "the data stays in /var/lib/wfd; to delete it: rm -r /var/lib/wfd" dpkg --purge wfd
[ ! -e "$root/etc/wfd/wfd.yaml" ] && [ -f "$root/var/lib/wfd/wfd.db" ] || fail "purge"
[ ! -L "$enabled" ] || fail "the service is enabled after purge"
install /first.deb
[ -L "$enabled" ] || fail "the service is not enabled again"
start wfd.service $socket
says submit wfctl history order-1
stop TERM
echo "package: installed, killed, upgraded, reloaded, backed up, removed, purged, installed again"
