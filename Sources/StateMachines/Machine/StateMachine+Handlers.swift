/// The program's code for a state: a behavior, or a closure of `onEnter` or `onExit`.
@usableFromInline
final class StateHandler<M: MachineDefinition> {
    let isBehavior: Bool
    var didEnter: ((M.StateName?) -> Void)?
    var willExit: ((M.StateName) -> Void)?
    var update: ((Duration) -> Void)?

    /// True after its end.
    var isEmpty: Bool { didEnter == nil && willExit == nil && update == nil }

    init(didEnter: ((M.StateName?) -> Void)? = nil, willExit: ((M.StateName) -> Void)? = nil) {
        isBehavior = false
        self.didEnter = didEnter
        self.willExit = willExit
    }

    init(_ behavior: any StateBehavior<M>) {
        isBehavior = true
        didEnter = { behavior.didEnter(from: $0) }
        willExit = { behavior.willExit(to: $0) }
        update = { behavior.update(deltaTime: $0) }
    }

    func end() { (didEnter, willExit, update) = (nil, nil, nil) }
}

extension StateMachine {
    /// Adds a closure that is called after each later move into a state, with the innermost state before.
    ///
    /// The behavior and the closures of a state are called in order of registration.
    ///
    /// - Returns: The token that ends the closure.
    @discardableResult
    public func onEnter(
        _ state: M.StateName, _ action: @escaping (_ previous: M.StateName) -> Void
    ) -> ObserverToken {
        add(StateHandler(didEnter: { previous in previous.map(action) }), for: state)
    }

    /// Adds a closure that is called before each later move out of a state, with the innermost state that follows. The
    /// machine still has its old state and context. An event that the closure sends is refused (`busy`).
    ///
    /// - Returns: The token that ends the closure.
    @discardableResult
    public func onExit(_ state: M.StateName, _ action: @escaping (_ next: M.StateName) -> Void) -> ObserverToken {
        add(StateHandler(willExit: action), for: state)
    }

    /// Sets the behavior of a state, or removes it. If the state is active, `didEnter` is called at once.
    public func set(_ behavior: (any StateBehavior<M>)?, for state: M.StateName) {
        let place = handlers[state]?.firstIndex { $0.isBehavior }
        if let place { handlers[state]?.remove(at: place).end() }
        guard let behavior else { return }
        let handler = StateHandler(behavior)
        if let place { handlers[state]?.insert(handler, at: place) } else { _ = add(handler, for: state) }
        if isIn(state) { behavior.didEnter(from: nil) }
    }

    private func add(_ handler: StateHandler<M>, for state: M.StateName) -> ObserverToken {
        handlers[state, default: []].removeAll { $0.isEmpty }
        handlers[state, default: []].append(handler)
        return ObserverToken { [weak handler] in handler?.end() }
    }

    /// Calls `willExit` of the states that a move leaves, before the move.
    @usableFromInline
    func exit(by move: Transition<M>) {
        guard let next = move.to.last else { return }
        isAsking = true
        defer { isAsking = false }
        for state in move.exited {
            for handler in handlers[state] ?? [] { handler.willExit?(next) }
        }
    }

    @usableFromInline
    func queueEntries(of move: Transition<M>) {
        let previous = move.from.last
        for state in move.entered {
            for handler in handlers[state] ?? [] { entries.append((handler, previous)) }
        }
    }

    /// Calls `didEnter` of the states that the last move entered. The calls come before the next move, also if one of
    /// them sends an event.
    @usableFromInline
    func enter() {
        while !entries.isEmpty {
            let entry = entries.removeFirst()
            entry.handler.didEnter?(entry.from)
        }
    }
}
