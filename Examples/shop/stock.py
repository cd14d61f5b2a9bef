#!/usr/bin/env python3
"""Packs parcels: a worker for the queue 'stock', with nothing but Python's standard library.

    stock.py SOCKET|https://HOST[:PORT] [--once]

The environment is that of wfctl: WFCTL_TOKEN_FILE (or WFCTL_TOKEN) has the token, WFCTL_CA the file of the trusted
authorities. The exit code is 77 if wfd does not let this worker in, and 69 if its certificate cannot be trusted.
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


class Refused(Exception):
    """An answer after which trying again would not help, and the exit code."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class Daemon(http.client.HTTPConnection):
    """A connection to wfd over its unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=90)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def trusted(file):
    """The certificates that are trusted."""
    try:
        return ssl.create_default_context(cafile=file)
    except OSError as error:
        raise Refused(f"cannot use WFCTL_CA '{file}': {error.strerror or error}", 66)


def connection_to(address):
    """A connection to wfd. A token is sent over a socket or TLS alone, so there is no http:// here."""
    url = urllib.parse.urlsplit(address)
    if url.scheme == "https":
        trust = trusted(os.environ.get("WFCTL_CA"))
        return http.client.HTTPSConnection(url.hostname, url.port, timeout=90, context=trust)
    return Daemon(address.removeprefix("unix:"))


def headers():
    """The headers of each request. The file is read each time, so that a new token needs no restart."""
    token = os.environ.get("WFCTL_TOKEN")
    if file := os.environ.get("WFCTL_TOKEN_FILE"):
        try:
            with open(file) as content:
                token = content.read().strip()
        except OSError as error:
            raise Refused(f"cannot read WFCTL_TOKEN_FILE '{file}': {error.strerror}", 66)
    return {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + token} if token else {})


def source():
    """The place of the token, for messages."""
    if file := os.environ.get("WFCTL_TOKEN_FILE"):
        return f"the token in '{file}' (WFCTL_TOKEN_FILE)"
    return "the token in WFCTL_TOKEN" if os.environ.get("WFCTL_TOKEN") else ""


def ask(path, target, body):
    """Sends a request and gives the status and the answer; 503 without one."""
    connection = connection_to(path)
    try:
        connection.request("POST", target, json.dumps(body), headers())
        answer = connection.getresponse()
        status, text = answer.status, answer.read()
        answer = json.loads(text) if text else None
    except ssl.SSLCertVerificationError as error:
        raise Refused(f"cannot trust '{path}': {error.verify_message}", 69)
    except (OSError, http.client.HTTPException):
        return 503, None
    finally:
        connection.close()
    if status == 401:
        why = f"does not accept {source()}: it is unknown, revoked or expired" if source() else "needs a token"
        raise Refused(f"'{path}' {why}; WFCTL_TOKEN_FILE names the file of another", 77)
    if status == 403:
        raise Refused(answer["detail"], 77)
    return status, answer


def tell(path, target, body):
    """Tells wfd what became of a task, until it knows. False: the lease is lost, and others have the task."""
    pause = 0.1
    while True:
        status, answer = ask(path, target, body)
        if status < 300:
            return True
        if status == 410:
            return False
        if status != 503:
            raise Refused(answer["detail"])
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
        try:
            while not done.wait(LEASE / 3):
                if not tell(path, name + "/heartbeat", {}):
                    return
        except Refused:
            pass  # The result meets it too.

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
        status, answer = ask(path, "/v1/tasks/stock/lease", request)
        if status == 503:
            if once:
                sys.exit("wfd is away")
            # It starts again, or has too much to do.
            time.sleep(pause)
            pause = min(2 * pause, 10)
            continue
        if status != 200:
            raise Refused(answer["detail"])
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
    except Refused as error:
        print("stock.py:", error, file=sys.stderr)
        sys.exit(error.code)
    except KeyboardInterrupt:
        pass
