"""A wfd of the debug build on a database of its own, with a token of each role."""
import json
import pathlib
import re
import subprocess
import tempfile

ROLES = ("monitor", "view", "send", "work", "deploy", "operate", "admin")
PROGRAMS = pathlib.Path(".build/debug").resolve()


class Daemon:
    """Serves on a unix socket and on a free port of 127.0.0.1 until the end of its `with`."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="wfd-api-")
        self.path = pathlib.Path(self.folder.name)
        self.socket, self.log = f"unix:{self.path}/wfd.sock", self.path / "log"
        self.arguments, self.port = arguments, 0
        self.start()

    def start(self):
        """Starts wfd; after `kill` with the same database and port."""
        command = [PROGRAMS / "wfd", "serve", "--database", self.path / "wfd.db", "--listen", self.socket]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, "--listen", f"127.0.0.1:{self.port}", *self.arguments], stderr=log)
        self.port = self.wait_for_port()

    def kill(self):
        """Ends wfd without a chance to write anything."""
        self.process.kill()
        self.process.wait()

    def wait_for_port(self):
        """Reads the log until wfd has written its port."""
        for _ in range(1500):
            found = re.search(r"address=(?:https://)?127\.0\.0\.1:(\d+)", self.log.read_text())
            if found:
                return int(found[1])
            try:
                self.process.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
            break
        self.process.kill()
        raise RuntimeError("wfd did not start:\n" + self.log.read_text())

    def wfctl(self, *arguments, stdin=None):
        """Returns what wfctl prints over the unix socket, where the caller may do everything."""
        command = [PROGRAMS / "wfctl", *arguments, "--address", self.socket]
        return subprocess.run(command, input=stdin, check=True, capture_output=True, text=True).stdout

    def token(self, role):
        return json.loads(self.wfctl("token", "create", role, "--role", role, "--output", "json"))["token"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Stops wfd, which must end by itself."""
        self.process.terminate()
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "none after 30 s"
        log = self.log.read_text()
        self.folder.cleanup()
        if status != 0:
            raise RuntimeError(f"wfd ended with {status}:\n" + log[-5000:])
