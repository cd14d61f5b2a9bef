"""`transitions` with a table of states beside it.

The library keeps states in memory and says nothing of storing them: a model is any object, and its state an attribute
(https://github.com/pytransitions/transitions#basic-initialization).
"""

import common
from transitions import Machine


class Lamp:
    """What the machine drives; one object is given the state of the instance whose turn it is."""


given = common.arguments()
lamp = Lamp()
machine = Machine(
    lamp,
    states=["off", "on"],
    initial="off",
    transitions=[["flip", "off", "on"], ["flip", "on", "off"]],
)
table = common.StateTable(given.folder, given.instances, "off")


def step(state):
    machine.set_state(state)
    lamp.flip(amount=250)
    return lamp.state


events, seconds = common.measure(given, lambda number: table.apply(number, common.EVENT, common.DATA, step))
common.report(
    "transitions + sqlite3", "transitions", events, seconds,
    common.BY_HAND + "the library itself stores nothing; one process, one call at a time",
)
