import Statechart

/// The fuzzed machines. Together they use every part of the language.
enum FuzzMachines {
    static let all = [everything, regions, errors].map(machine)

    private static func machine(_ text: String) -> Machine {
        do throws(DefinitionError) {
            return try DefinitionReader.read(text).machine
        } catch {
            preconditionFailure("\(error.diagnostics)")
        }
    }

    private static let everything = """
        id: everything
        initial: {target: work, actions: {raise: begun}}
        context: {n: 0, d: 0.5, list: [], map: {a: {b: 1}}, item: null, i: 0, text: ''}
        guards: {small: context.n < 5, never: "!small && false"}
        actions:
          count: {assign: {n: context.n + 1}}
        on:
          reset: {target: .work, actions: {assign: {n: 0, list: [], text: "''"}}}
          'sys.*': [{guard: small, actions: count}, .rest]
        states:
          work:
            initial: a
            entry: [count, {log: "'n is ' + string(context.n)"}]
            exit: {assign: {'map.a.b': context.map.a.b + 1}}
            after: {1s: rest, 'context.n * 100': {actions: count}}
            on: {pause: rest, self: {target: work, reenter: true}, inner: .a}
            states:
              a:
                on:
                  go:
                    - {guard: "has(event.data.n) && event.data.n > 0", target: b, actions: {assign: {d: event.data.n}}}
                    - b
                  each:
                    actions:
                      foreach:
                        {array: event.data, item: item, index: i, actions: [{assign: {list: "context.list + [context.item]"}}]}
              b:
                always: {guard: "context.n > 20", target: c}
                entry: {send: {event: tick, delay: 50ms, id: t, data: {n: context.n}}}
                exit: {cancel: t}
                on: {tick: {target: a, reenter: true}, set: {actions: {assign: {'list[0]': event.data}}}}
              c: {type: final, output: {n: context.n}}
              h: {type: history, history: deep, target: b}
            onDone: {target: rest, actions: {assign: {text: string(event.data.n)}}}
          rest:
            on:
              resume: work.h
              stop: end
              send: {actions: {send: go}}
              many: {actions: [{send: reset}, {send: resume}]}
          end: {type: final, output: context.map}
        """

    private static let regions = """
        id: regions
        strict: false
        type: parallel
        context: {n: 0}
        on: {'*': {actions: {assign: {n: context.n + 1}}}}
        states:
          left:
            initial: one
            states:
              one: {on: {x: two, y: {target: '#right.two'}}}
              two:
                on: {x: one, z: end}
                always: {guard: "In('right.two') && context.n < 50", target: one, actions: {raise: x}}
              end: {type: final}
              h: {type: history}
          right:
            initial: one
            id: right
            states:
              one: {on: {x: two, back: ['#regions.left.h', two]}}
              two: {on: {x: one, z: end}}
              end: {type: final}
            onDone: {actions: {raise: x}}
        """

    private static let errors = """
        id: errors
        initial: a
        context: {n: 1, list: [1, 2, 3]}
        states:
          a:
            on:
              divide: {guard: "1 / event.data > 0", target: b}
              list: {actions: {assign: {n: "context.list[event.data]"}}}
              loop: {actions: {raise: loop}}
              grow: {actions: {assign: {list: context.list + context.list}}}
              match: {guard: "string(event.data).matches('(a+)+$')", target: b}
            after: {event.data: b}
          b:
            on: {error.execution: a, bad: {actions: {assign: {n: "1 / 0"}}}, back: a}
        """
}
