"""`dbos` on SQLite: a durable workflow for each instance, a step for each event, sixteen workflows at once.

What it promises: a workflow that is interrupted goes on from its last completed step, and a step that has completed is
never executed again (https://docs.dbos.dev/explanations/how-workflows-work). It sets neither `journal_mode` nor
`synchronous` of SQLite; the mode of the file is asked afterwards, and said with the number.
"""

import os
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import common
from dbos import DBOS

WORKFLOWS = 16

given = common.arguments()
path = os.path.join(given.folder, "dbos.db")
DBOS(
    config={
        "name": "peer",
        "system_database_url": f"sqlite:///{path}",
        "log_level": "ERROR",
        "run_admin_server": False,
    }
)
NEXT = {"off": "on", "on": "off"}
end = None
left = given.events
lock = threading.Lock()


@DBOS.step()
def flip(state, amount):
    return NEXT[state]


@DBOS.workflow()
def lamp():
    global left
    state = "off"
    count = 0
    while time.perf_counter() < end:
        with lock:
            if left == 0:
                break
            left -= 1
        state = flip(state, 250)
        count += 1
    return count


DBOS.launch()
begin = time.perf_counter()
end = begin + given.seconds
with ThreadPoolExecutor(WORKFLOWS) as pool:
    events = sum(pool.map(lambda _: lamp(), range(WORKFLOWS)))
seconds = time.perf_counter() - begin
DBOS.destroy()
with sqlite3.connect(path) as connection:
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
common.report(
    f"dbos on SQLite, {WORKFLOWS} workflows at once", "dbos", events, seconds,
    f"each step's result is stored when the step returns (journal_mode={mode}); workflows go on from the last one",
)
