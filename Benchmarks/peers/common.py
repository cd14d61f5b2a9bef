"""What the scripts of all peers share: their arguments, a durable table for states, and the line that they print."""

import argparse
import importlib.metadata
import json
import os
import sqlite3
import tempfile
import time


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=20_000, help="at most so many")
    parser.add_argument("--instances", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=5.0, help="at most so long")
    parser.add_argument("--folder", default=None, help="on the disk that is measured")
    given = parser.parse_args()
    given.folder = tempfile.mkdtemp(prefix="peer-", dir=given.folder)
    return given


class StateTable:
    """The status column that people write by hand, done right: the new state and a row of history in one transaction,
    on disk when `store` returns (https://www.sqlite.org/pragma.html#pragma_synchronous)."""

    def __init__(self, folder, instances, initial):
        # Transactions are begun and committed by hand.
        self.connection = sqlite3.connect(os.path.join(folder, "peer.db"), isolation_level=None)
        mode = self.connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        assert mode == "wal", mode
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute(
            "CREATE TABLE instance (id INTEGER PRIMARY KEY, state TEXT NOT NULL, seq INTEGER NOT NULL)"
        )
        self.connection.execute(
            "CREATE TABLE history (position INTEGER PRIMARY KEY, instance INTEGER NOT NULL, seq INTEGER NOT NULL,"
            " at INTEGER NOT NULL, event TEXT NOT NULL, data TEXT, source TEXT NOT NULL, target TEXT NOT NULL)"
        )
        self.connection.execute("BEGIN")
        self.connection.executemany(
            "INSERT INTO instance VALUES (?, ?, 0)", ((number, initial) for number in range(instances))
        )
        self.connection.execute("COMMIT")

    def apply(self, number, event, data, step):
        """Reads the state, lets `step` find the next one, and commits it with its history."""
        execute = self.connection.execute
        execute("BEGIN IMMEDIATE")
        state, seq = execute("SELECT state, seq FROM instance WHERE id = ?", (number,)).fetchone()
        target = step(state)
        execute("UPDATE instance SET state = ?, seq = ? WHERE id = ?", (target, seq + 1, number))
        execute(
            "INSERT INTO history (instance, seq, at, event, data, source, target) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, seq + 1, time.time_ns() // 1_000_000, event, data, state, target),
        )
        execute("COMMIT")


def measure(given, send):
    """Sends events to one instance after another; gives how many there were and how long it took."""
    begin = time.perf_counter()
    end = begin + given.seconds
    count = 0
    while count < given.events and time.perf_counter() < end:
        send(count % given.instances)
        count += 1
    return count, time.perf_counter() - begin


def report(peer, package, events, seconds, guarantee, unit="events/s"):
    print(
        json.dumps(
            {
                "peer": peer,
                "version": importlib.metadata.version(package),
                "events": events,
                "seconds": round(seconds, 3),
                "perSecond": round(events / seconds, 1),
                "unit": unit,
                "guarantee": guarantee,
            }
        ),
        flush=True,
    )


BY_HAND = (
    "state and history row in one transaction, on disk when the call returns (WAL, synchronous=FULL), written by hand; "
)
EVENT = "flip"
DATA = '{"amount":250}'
