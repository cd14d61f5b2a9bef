import NaiveStatechart

extension MachineGenerator {
    /// The delays in several spellings, with their milliseconds.
    private static let delays: [(text: String, milliseconds: Int64)] = [
        ("0s", 0), ("5ms", 5), ("10ms", 10), ("0.01s", 10), ("15", 15), ("PT0.02S", 20), ("1s", 1_000),
    ]
    static let ids = ["x", "y"]

    /// Adds timers to a state, and transitions that take them.
    mutating func addTimeouts(to state: ModelState) {
        for delay in random.pick(1 + random.below(2), of: Self.delays.indices.map { $0 }).map({ Self.delays[$0] }) {
            let timeout = ModelTimeout(text: delay.text, milliseconds: delay.milliseconds)
            state.timeouts.append(timeout)
            let limit = skip()
            for number in 0...random.below(2) {
                let transition = transition(of: state, on: .after(timeout.text))
                // Under semantics 1 those of one delay have one rule, of the timer.
                if !isFirst { transition.misfire = limit.flatMap { Self.misfire(number, of: timeout, limit: $0) } }
                state.transitions.append(transition)
            }
        }
    }

    /// Returns an event that the instance sends to itself, or a `cancel` of sent events.
    mutating func sending() -> ModelAction {
        if random.chance(20) { return .cancel(random.pick(Self.ids) ?? "") }
        let events = random.chance(70) ? Self.events : Self.marks
        var send = ModelSend(event: random.pick(events) ?? "a")
        send.hasData = random.chance(30)
        guard random.chance(60) else { return .send(send) }
        send.delay = random.pick([0, 5, 10, 20, 30])
        send.isMultiplied = random.chance(20)
        send.skip = skip()
        if random.chance(50) { send.id = random.pick(Self.ids) }
        return .send(send)
    }

    /// Adds invocations to a state, and transitions that take their ends.
    mutating func addInvocations(to state: ModelState) {
        for _ in 0..<1 + random.below(2) {
            invocations += 1
            var invocation = ModelInvocation(id: "v\(invocations)")
            if random.chance(30) { invocation.timeout = random.pick([0, 5, 15, 1_000]) }
            invocation.fails = random.chance(8)
            state.invocations.append(invocation)
            if random.chance(60) { state.transitions.append(transition(of: state, on: .ended(invocation.done))) }
            if random.chance(50) { state.transitions.append(transition(of: state, on: .ended(invocation.failed))) }
        }
        guard random.chance(40) else { return }
        // The event of any invocation, also of one of another state.
        let number = 1 + random.below(invocations)
        let descriptors = ["done.invoke.v\(number)", "error.invoke.v\(number)", "done.invoke.*", "error.invoke.*"]
        state.transitions.append(transition(of: state, on: .event(random.pick(descriptors) ?? "*")))
    }

    /// Returns different rules for the transitions of one delay: the second is in time for longer, or always, and every
    /// other one begins again.
    private static func misfire(_ number: Int, of timeout: ModelTimeout, limit: Int64) -> ModelMisfire? {
        if limit == 30, number == 1 { return nil }
        let place = Int64(number)
        return ModelMisfire(limit: limit + 10 * place, rearms: (timeout.milliseconds / 5 + place) % 2 == 1)
    }

    private mutating func skip() -> Int64? {
        random.chance(25) ? random.pick([0, 5, 30]) : nil
    }
}
