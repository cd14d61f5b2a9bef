"""`python-statemachine` with a table of states beside it.

The library keeps the state in an attribute of a model that its user stores
(https://python-statemachine.readthedocs.io/en/latest/models.html).
"""

import common
from statemachine import State, StateMachine


class Lamp(StateMachine):
    """The machine with two states."""

    off = State(initial=True)
    on = State()
    flip = off.to(on) | on.to(off)


class Row:
    """What the machine reads its state from, and writes it to."""

    state = None


given = common.arguments()
row = Row()
lamp = Lamp(row)
table = common.StateTable(given.folder, given.instances, "off")


def step(state):
    # The machine looks at its model's attribute whenever it needs to know where it is.
    row.state = state
    lamp.flip(amount=250)
    return row.state


events, seconds = common.measure(given, lambda number: table.apply(number, common.EVENT, common.DATA, step))
common.report(
    "python-statemachine + sqlite3", "python-statemachine", events, seconds,
    common.BY_HAND + "the library itself stores nothing; one process, one call at a time",
)
