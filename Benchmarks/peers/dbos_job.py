"""`dbos` on SQLite: jobs of two steps, each a durable workflow, sixteen at once.

Each step's result is stored before the next begins, and the workflow's own start and end too
(https://docs.dbos.dev/explanations/how-workflows-work). The steps run in the process that has the workflow: nobody else
takes them, and there is no lease.
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
end = None
left = given.events
lock = threading.Lock()


@DBOS.step()
def pack(order):
    return {"ok": True}


@DBOS.step()
def ship(order):
    return {"ok": True}


@DBOS.workflow()
def job(order):
    pack(order)
    return ship(order)


def work(number):
    global left
    count = 0
    while time.perf_counter() < end:
        with lock:
            if left == 0:
                break
            left -= 1
        assert job(f"order-{number}-{count}") == {"ok": True}
        count += 1
    return count


DBOS.launch()
begin = time.perf_counter()
end = begin + given.seconds
with ThreadPoolExecutor(WORKFLOWS) as pool:
    jobs = sum(pool.map(work, range(WORKFLOWS)))
seconds = time.perf_counter() - begin
DBOS.destroy()
with sqlite3.connect(path) as connection:
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
common.report(
    f"dbos on SQLite, jobs of two steps, {WORKFLOWS} workflows", "dbos", jobs, seconds,
    f"start, both results and the end each stored (journal_mode={mode}); steps run in the workflow's own process",
    unit="jobs/s",
)
