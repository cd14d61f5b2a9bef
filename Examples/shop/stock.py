#!/usr/bin/env python3
"""Packs parcels: a worker for the queue 'stock', with nothing but Python's standard library.

    stock.py SOCKET|https://HOST[:PORT] [--once]

The environment is that of wfctl: WFCTL_TOKEN_FILE (or WFCTL_TOKEN) has the token, WFCTL_CA the file of the trusted
authorities.
"""
import http.client
import json
import os
import socket
import ssl
import sys
import threading
import time
import urllib.parse

LEASE = 30  # seconds
SHELF = {"pen": 3, "ink": 5}  # what there is, and what it weighs


class Daemon(http.client.HTTPConnection):
    """A connection to wfd over its unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=90)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def connection_to(address):
    """A connection to wfd. A token is sent over a socket or TLS alone, so there is no http:// here."""
    url = urllib.parse.urlsplit(address)
    if url.scheme == "https":
        trust = ssl.create_default_context(cafile=os.environ.get("WFCTL_CA"))
        return http.client.HTTPSConnection(url.hostname, url.port, timeout=90, context=trust)
    return Daemon(address.removeprefix("unix:"))


def headers():
    """The headers of each request. The file is read each time, so that a new token needs no restart."""
    token = os.environ.get("WFCTL_TOKEN")
    if file := os.environ.get("WFCTL_TOKEN_FILE"):
        with open(file) as content:
            token = content.read().strip()
    return {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + token} if token else {})


def ask(path, target, body):
    """Sends a request and gives the status and the answer."""
    connection = connection_to(path)
    try:
        connection.request("POST", target, json.dumps(body), headers())
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()


def tell(path, target, body):
    """Tells wfd what became of a task, until it knows. False: the lease is lost, and others have the task."""
    pause = 0.1
    while True:
        try:
            status, answer = ask(path, target, body)
        except (OSError, http.client.HTTPException):
            status, answer = 503, None
        if status < 300:
            return True
        if status == 410:
            return False
        if status != 503:
            raise RuntimeError(answer["detail"])
        time.sleep(pause)
        pause = min(2 * pause, 10)


def pack(order):
    """The work itself. Whoever does it twice must get the same: the task's key tells what was done already."""
    missing = [item for item in order["items"] if item not in SHELF]
    if missing:
        raise LookupError("not in stock: " + ", ".join(missing))
    return {"weight": sum(SHELF[item] for item in order["items"])}


def work(path, task):
    """Does one task, and gives a sign of life three times in each lease."""
    name = "/v1/tasks/" + task["task"]
    done = threading.Event()

    def live():
        while not done.wait(LEASE / 3):
            if not tell(path, name + "/heartbeat", {}):
                return

    threading.Thread(target=live, daemon=True).start()
    try:
        target, body, word = "/complete", pack(task["input"]), "packed"
    except LookupError as error:
        # Trying again would not fill the shelf.
        target, body, word = "/fail", {"type": "no-stock", "message": str(error), "retry": False}, "refused"
    finally:
        done.set()
    if not tell(path, name + target, body):
        word = "lost"
    print(task["instance"] + ": " + word, flush=True)


def main(path, once):
    request = {"wait": 0 if once else 60, "lease": LEASE, "worker": "stock.py"}
    pause = 0.1
    while True:
        try:
            status, answer = ask(path, "/v1/tasks/stock/lease", request)
        except (OSError, http.client.HTTPException):
            status, answer = 503, None
        if status == 503:
            if once:
                sys.exit("wfd is away")
            # It starts again, or has too much to do.
            time.sleep(pause)
            pause = min(2 * pause, 10)
            continue
        if status != 200:
            sys.exit(answer["detail"])
        pause = 0.1
        for task in answer["tasks"]:
            work(path, task)
        if once and not answer["tasks"]:
            return


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], "--once" in sys.argv[2:])
    except KeyboardInterrupt:
        pass
