/// A machine whose instances use features of every kind: data, time, failures, calls.
enum UnitMachine {
    static let text = """
        id: unit
        initial: idle
        context: {n: 0, who: null, by: 0}
        states:
          idle:
            on:
              put: {actions: {assign: {who: event.data.who}}}
              flip: {actions: {assign: {n: context.n + 1}}}
              later: {actions: {send: {event: came, data: {n: 1}, delay: 1h}}}
              came: {actions: {assign: {n: event.data.n}}}
              ring: timed
              fail: {actions: {send: worse}}
              worse: {actions: {assign: {n: 1 / context.by}}}
              mail: {actions: {call: {task: mail, input: context.n}}}
              end: closed
          timed: {after: {10m: idle}}
          closed: {type: final, output: {n: context.n}}
        """
}
