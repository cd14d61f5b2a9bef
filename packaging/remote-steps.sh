#!/usr/bin/env bash
# Installs a package on a server and calls wfd from another host: remote-steps.sh ROOT PACKAGE NEWER-PACKAGE
#
# The server is a Debian in ROOT, the other host a network namespace with a user of its own. Run as root in namespaces
# of its own for mounts, processes and the network; packaging/test.sh does so. It prints the time from the first command
# to the first send, without the time that a person needs to write them.
set -euo pipefail
steps="another host"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=packaging/steps.sh
source packaging/steps.sh
example=/usr/share/doc/wfd/examples/order.yaml

# The other host, and the cable. The authority that both trust is made before; so is the certificate.
unshare --net sleep infinity &
host=$!
deadline=$((SECONDS + 30))
while [ "$(readlink /proc/$host/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do
    [ $SECONDS -lt $deadline ] || fail "no network namespace"
done
ip link add wfd0 type veth peer name shop0 netns /proc/$host/ns/net
ip address add 192.0.2.1/24 dev wfd0 && ip link set wfd0 up && ip link set lo up
nsenter --net=/proc/$host/ns/net ip address add 192.0.2.2/24 dev shop0
nsenter --net=/proc/$host/ns/net ip link set shop0 up
echo '192.0.2.1 wfd.example' >>"$root/etc/hosts"
inside useradd --create-home shop
folder=$root/root/tls
mkdir "$folder"
key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
{
    openssl req -x509 -days 30 -subj /CN=authority -keyout "$folder/ca.key" -out "$folder/ca.pem" "${key[@]}"
    openssl req -new -subj /CN=wfd.example -keyout "$folder/tls.key" -out "$folder/tls.csr" "${key[@]}"
    openssl x509 -req -in "$folder/tls.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -days 30 \
        -extfile <(echo subjectAltName=DNS:wfd.example) -out "$folder/tls.pem"
} 2>"$root/log" || fail "no certificate"
cp "$folder/ca.pem" "$root/home/shop/"

# shop COMMAND...: as the user of the other host, who cannot open the server's socket.
shop() {
    nsenter --net=/proc/$host/ns/net chroot "$root" setpriv --reuid=shop --regid=shop --clear-groups \
        env -i PATH=/usr/bin:/bin HOME=/home/shop LC_ALL=C.UTF-8 "$@"
}
# expect TEXT COMMAND...: the command of the other host prints the text, whatever its exit code.
expect() {
    local said
    said=$("${@:2}" 2>&1) || true
    grep -qE -- "$1" <<<"$said" || fail "'${*:2}' does not say '$1' but: $said"
}
# token NAME ROLES: the secret of a new token.
token() {
    local said
    said=$(inside wfctl token create "$1" --role "$2" --expires 90d 2>>"$root/log") || fail "no token '$1'"
    echo "$said"
}

begin=$(date +%s%N)
inside apt-get install --yes --no-install-recommends /first.deb >"$root/log" 2>&1 || fail "apt install"
start wfd.service $socket
secret=$(token shop send,work)
ci=$(token ci deploy)
inside install -o wfd -g wfd -m 600 /root/tls/tls.key /root/tls/tls.pem /etc/wfd/
cat >>"$root/etc/wfd/wfd.yaml" <<'END'
listen: [unix:/run/wfd/wfd.sock, 0.0.0.0:7433]
tls-certificate: /etc/wfd/tls.pem
tls-key: /etc/wfd/tls.key
allow-host: [wfd.example]
END
inside wfd config check /etc/wfd/wfd.yaml || fail "the file of settings has a mistake"
# A new address wants a restart.
stop TERM
start wfd.service $socket
login() { shop wfctl login https://wfd.example:7433 --name "$1" --ca /home/shop/ca.pem <<<"$2"; }
expect '^token:shop at https://wfd\.example:7433: send, work' login prod "$secret"
expect '^certificate until 20' login prod "$secret"
expect '^token:ci at https://wfd\.example:7433: deploy' login ci "$ci"
shop wfctl --context ci apply $example >/dev/null || fail "token 'ci' cannot apply"
shop wfctl --context prod start order order-1 >/dev/null || fail "token 'shop' cannot start"
shop wfctl --context prod send order-1 submit --data '{"amount": 1250}' >/dev/null || fail "token 'shop' cannot send"
tenths=$((($(date +%s%N) - begin) / 100000000))
echo "package: $((tenths / 10)).$((tenths % 10)) s from 'apt install' to the first send from another host"

# Too small a role is refused, and so are others' names for the server, other authorities, and no token.
refused="token:shop may not apply definition: that needs 'define', which deploy and admin have"
expect "^error: Cannot apply '$example': $refused$" shop wfctl --context prod apply $example
expect "an authority that is unknown here" shop wfctl --address https://wfd.example:7433 status
expect "is for other names" shop wfctl --address https://192.0.2.1:7433 --ca /home/shop/ca.pem status
expect "needs a token, and none is given" shop wfctl --address https://wfd.example:7433 --ca /home/shop/ca.pem list
expect "Not permitted|Permission denied|cannot" shop wfctl --address $socket list

# The audit has what was done, and who did it.
says submit wfctl history order-1
says '"actor":"token:shop"' wfctl history order-1 -o jsonl
inside wfctl audit --since 1d >"$root/audit"
for row in 'uid:0\(root\) +token +shop +created: send, work, until 20' 'token:ci +apply +order'; do
    grep -qE "$row" "$root/audit" || fail "the audit has no '$row' but: $(cat "$root/audit")"
done

# From the answer on, a revoked token is refused; a reload takes another host's name.
inside wfctl token revoke shop >/dev/null
expect "does not accept the token of the context 'prod'" shop wfctl --context prod list
sed -i 's/^allow-host:.*/allow-host: [other.example]/' "$root/etc/wfd/wfd.yaml"
reload
expect "The request is for host 'wfd.example:7433'" shop wfctl --context ci list
stop TERM
kill $host
echo "package: called from another host over TLS, with tokens, refused by role, revoked"
