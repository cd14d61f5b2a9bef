#!/usr/bin/env python3
"""Makes requests from docs/openapi.json with a token of each role: fuzz.py SECONDS [SEED [ROLE]].

No answer may have a status, a type or a body that the document lacks, and none a status of 500 or more but 503. A
request without its token is refused. Which requests are accepted is not compared: a schema cannot know which events an
instance accepts, and null stands for a missing field. The streams never end, and are left out; so are methods that wfd
does not know, which are answered 501.
"""
import os
import pathlib
import random
import subprocess
import sys

import daemon

DOOR = """
id: door
initial: closed
context: {opened: 0}
states:
  closed: {on: {open: {target: opened, actions: {assign: {opened: context.opened + 1}}}, lock: locked}}
  opened: {on: {close: closed}, after: {1h: closed}}
  locked: {type: final}
"""
ORDER = """
id: order
initial: packing
context: {items: []}
states:
  packing: {invoke: {task: stock, input: {items: context.items}, onDone: done, onError: failed}, on: {stop: failed}}
  done: {type: final}
  failed: {type: final}
"""
CONFIGURATION = """
headers = {{Authorization = "Bearer {token}"}}
cache = {{enabled = false}}
[phases.coverage]
unexpected-methods = ["DELETE", "PATCH", "PUT", "TRACE"]
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]
"""


def prepare(wfd):
    for text in (DOOR, DOOR.replace("1h", "2h"), ORDER, ORDER.replace("failed", "refused")):
        (wfd.path / "machine.yaml").write_text(text)
        wfd.wfctl("apply", wfd.path / "machine.yaml")
    for name in ("door-1", "door-2", "order-1", "order-2"):
        wfd.wfctl("start", name.split("-")[0], name)


def fuzz(role, seconds, seed):
    """Returns true if schemathesis found nothing."""
    with daemon.Daemon("--clock", "virtual") as wfd:
        prepare(wfd)
        (wfd.path / "schemathesis.toml").write_text(CONFIGURATION.format(token=wfd.token(role)))
        command = [
            ".build/python/bin/schemathesis", "--config-file", wfd.path / "schemathesis.toml", "run",
            "docs/openapi.json", "--url", f"http://127.0.0.1:{wfd.port}",
            "--exclude-checks", "positive_data_acceptance,negative_data_rejection",
            "--seed", str(seed), "--max-time", str(seconds), "--exclude-path-regex", "/stream$",
            "--request-timeout", "20", "--continue-on-failure", "--warnings", "off",
            "--suppress-health-check", "all",
        ]
        environment = os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": ".build/python:.ci/api"}
        ended = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        lines = ended.stdout.splitlines()
        told = [line.strip() for line in lines if " generated, " in line or line.startswith("statuses: ")]
        print(f"{role}: " + "; ".join(told) if ended.returncode == 0 else f"{role}:\n{ended.stdout}", flush=True)
        return ended.returncode == 0


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**31)
    print(f"The API's description against wfd; again with: .ci/api/run.sh fuzz {sys.argv[1]} {seed}", flush=True)
    # Two seconds of each role go into its start.
    seconds = max(1, int(sys.argv[1]) // len(daemon.ROLES) - 2)
    sys.exit(not all([fuzz(role, seconds, seed) for role in sys.argv[3:] or daemon.ROLES]))


if __name__ == "__main__":
    main()
