/// The machines on which bad requests are tried.
package enum BadRequestMachines {
    /// A machine that accepts any data and keeps none.
    package static let order = """
        id: order
        initial: draft
        states:
          draft: {on: {submit: review}}
          review: {on: {reject: rejected, pay: packing, ok: draft}}
          packing: {on: {packed: draft}}
          rejected: {type: final}
        """
    /// A machine with actions that fail: one raises an event for ever, one sets a key in a value that is not a map.
    package static let traps = """
        id: traps
        initial: idle
        context: {label: null, share: 1.5}
        states:
          idle:
            on:
              spin: {actions: {raise: again}}
              again: {actions: {raise: again}}
              break: {actions: {assign: {label.size: true}}}
        """
    /// A machine with two regions, and with a state that cannot be left.
    package static let tour = """
        id: tour
        initial: both
        context: {n: 0}
        on: {stuck: .spin, over: .end, again: {actions: {raise: again}}}
        states:
          both:
            type: parallel
            states:
              left: {initial: one, states: {one: {on: {go: two}}, two: {}}}
              right: {initial: one, states: {one: {}}}
          spin:
            exit: {raise: again}
            on: {leave: both}
          end: {type: final}
        """
    /// A version of `tour` without the region on the right.
    package static let shortTour = """
        id: tour
        initial: only
        context: {n: 0}
        states:
          only: {initial: one, states: {one: {}, two: {}}}
          end: {type: final}
        """
}
