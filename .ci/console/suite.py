#!/usr/bin/env python3
"""Opens the console of a debug build in Chromium: suite.py all, quick, or the names of checks.

'suite.py picture' makes the picture of README.md anew.
"""
import sys
import time
import traceback

import announcing
import breaks
import contents
import daemon
import firsts
import focus
import framing
import keyboard
import pages
import payloads
import scriptless
import winding
from api import API
from browser import chromium

CHECKS = {
    "pages": lambda stage: pages.every(stage.browser),
    "page": lambda stage: pages.every(stage.browser, ["instance-failed"]),
    "scriptless": scriptless.read,
    "forms": scriptless.forms,
    "walk": keyboard.walk,
    "mend": keyboard.mend,
    "mend-scriptless": scriptless.mend,
    "framing": framing.refused,
    "payloads": payloads.run,
    "cut": breaks.cut,
    "tabs": breaks.ten_tabs,
    "lists": breaks.lists,
    "first": firsts.view,
    "active": pages.active_is_seen,
    "stops": focus.one_stop,
    "covered": focus.uncovered,
    "winding": winding.back_and_forth,
    "politely": announcing.politely,
    "killed": breaks.killed,
}
MORE = {"picture": lambda stage: pages.picture(stage.browser), "thousand": firsts.thousand}
SETS = {"quick": ["page", "walk"], "all": [name for name in CHECKS if name != "page"]}


class Stage:
    """A daemon with contents, a browser, and a token that may mend."""

    def __init__(self, wfd, browser):
        self.wfd, self.browser = wfd, browser
        self.token = wfd.token("operate")
        self.api = API(wfd.port, wfd.token("admin"))
        contents.fill(self.api)
        browser.log_in(self.token)

    def restart(self):
        """Starts wfd again after it was killed; sessions are gone with it."""
        self.wfd.start()
        self.browser.log_in(self.token)


def check(name, stage):
    """Returns true if a check finds nothing."""
    begun = time.monotonic()
    try:
        (CHECKS | MORE)[name](stage)
    except Exception as error:
        for frame in traceback.extract_tb(error.__traceback__):
            if ".ci" in frame.filename:
                print(f"  {frame.filename}:{frame.lineno} {frame.line}")
        print(f"console: {name} failed: {error}", flush=True)
        return False
    print(f"console: {name} passed after {time.monotonic() - begun:.1f} s", flush=True)
    return True


def main():
    names = [name for given in sys.argv[1:] for name in SETS.get(given, [given])]
    with daemon.Daemon() as wfd, chromium(wfd.port) as browser:
        stage = Stage(wfd, browser)
        sys.exit(not all([check(name, stage) for name in names]))


if __name__ == "__main__":
    main()
