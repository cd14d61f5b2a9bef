#!/usr/bin/env python3
"""Makes the clients of docs/clients.md, and runs Examples/clients with them over TLS with a token.

The one in TypeScript is left out where java, node or tsc are missing.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import daemon

FOLDER = pathlib.Path(".build/clients")
EXPECTED = """\
open: closed -> open, seq 2
open: closed -> open, seq 2
open: 409 event-not-accepted; accepted now: close
accepted: close
"""


def run(*command, **options):
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if ended.returncode:
        sys.exit(f"error: {' '.join(map(str, command))} ended with {ended.returncode}:\n{ended.stdout}")
    return ended.stdout


def make_python():
    run("openapi-python-client", "generate", "--path", "docs/openapi.json", "--meta", "none",
        "--output-path", FOLDER / "python/wfd_client")
    shutil.copy("Examples/clients/door.py", FOLDER / "python")
    return [sys.executable, FOLDER / "python/door.py"]


def make_typescript():
    missing = [program for program in ("java", "node", "tsc") if not shutil.which(program)]
    if missing:
        print(f"The client in TypeScript is left out, without {', '.join(missing)}")
        return None
    run("openapi-generator-cli", "generate", "-i", "docs/openapi.json", "-g", "typescript-fetch",
        "-o", FOLDER / "typescript/wfd_client")
    shutil.copy("Examples/clients/door.ts", FOLDER / "typescript")
    run("tsc", "--target", "es2020", "--module", "commonjs", "--lib", "es2020,dom", "door.ts",
        cwd=FOLDER / "typescript")
    return ["node", FOLDER / "typescript/door.js"]


def check(wfd, program, instance, environment):
    """Compares the output, and the history that wfd has of it."""
    told = run(*program, instance, env=os.environ | environment)
    rows = [json.loads(line) for line in wfd.wfctl("history", instance, "--output", "jsonl").splitlines()]
    found = [(row["event"], row.get("actor"), "key" in row) for row in rows if row["kind"] == "event"]
    if told != EXPECTED or found != [("open", "token:send", True)]:
        sys.exit(f"error: {program[-1]} printed\n{told}instead of\n{EXPECTED}and the history has {rows}")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    for language in ("python", "typescript"):
        (FOLDER / language).mkdir(parents=True)
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", FOLDER / "key.pem",
        "-out", FOLDER / "certificate.pem")
    (FOLDER / "key.pem").chmod(0o600)
    tls = ("--tls-certificate", FOLDER / "certificate.pem", "--tls-key", FOLDER / "key.pem")
    with daemon.Daemon(*tls) as wfd:
        wfd.wfctl("apply", "Examples/clients/door.yaml")
        token = wfd.path / "token"
        token.write_text(wfd.token("send") + "\n")
        certificate = str(FOLDER / "certificate.pem")
        environment = {
            "WFCTL_ADDRESS": f"https://localhost:{wfd.port}", "WFCTL_TOKEN_FILE": str(token),
            "WFCTL_CA": certificate, "NODE_EXTRA_CA_CERTS": certificate,
        }
        for name, program in (("python", make_python()), ("typescript", make_typescript())):
            if program:
                check(wfd, program, "door-" + name, environment)
                print(f"The client in {name}, made from docs/openapi.json, started, sent, and was refused")


if __name__ == "__main__":
    main()
