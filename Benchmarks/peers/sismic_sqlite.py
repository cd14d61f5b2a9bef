"""`sismic` with a table of states beside it.

An interpreter holds the configuration in memory, and there is one for each running statechart
(https://sismic.readthedocs.io/en/latest/execution.html). It has no way to begin in a configuration that was stored, so
each instance keeps its interpreter, and what is stored is what it says.
"""

import common
from sismic.interpreter import Interpreter
from sismic.io import import_from_yaml

LAMP = """
statechart:
  name: lamp
  root state:
    name: lamp
    initial: 'off'
    states:
      - name: 'off'
        transitions: [{event: flip, target: 'on'}]
      - name: 'on'
        transitions: [{event: flip, target: 'off'}]
"""

given = common.arguments()
statechart = import_from_yaml(LAMP)
interpreters = []
for _ in range(given.instances):
    interpreter = Interpreter(statechart)
    interpreter.execute()
    interpreters.append(interpreter)
table = common.StateTable(given.folder, given.instances, "off")


def send(number):
    interpreter = interpreters[number]

    def step(state):
        interpreter.queue(common.EVENT, amount=250).execute_once()
        return interpreter.configuration[-1]

    table.apply(number, common.EVENT, common.DATA, step)


events, seconds = common.measure(given, send)
common.report(
    "sismic + sqlite3", "sismic", events, seconds,
    common.BY_HAND + "the library itself stores nothing, and cannot begin where a stored state says",
)
