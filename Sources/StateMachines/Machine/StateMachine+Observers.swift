/// The token of an observer of a `StateMachine`. The observer lives as long as the machine, or until `cancel()`.
public struct ObserverToken {
    let end: () -> Void

    /// Ends the observer, which is not called again. Its closure is released at once.
    public func cancel() { end() }
}

/// An observer of moves; `hear` is `nil` after its end.
@usableFromInline
final class Observer<M: MachineDefinition> {
    // The machine's owner is the only caller, as for the properties of `StateMachine`.
    @exclusivity(unchecked) @usableFromInline var hear: ((Transition<M>) -> Void)?

    /// True after its end.
    var isEnded: Bool { hear == nil }

    init() {}
}

extension StateMachine {
    /// Adds an observer that is called with each later move, in order of registration.
    ///
    /// - Returns: The token that ends the observer.
    @discardableResult
    public func onTransition(_ observer: @escaping (Transition<M>) -> Void) -> ObserverToken {
        observe { _, _ in observer }
    }

    /// Adds an observer that ends with its owner. The machine does not keep the owner alive:
    /// `machine.onTransition(with: self) { view, move in view.show(move.state) }`.
    ///
    /// - Returns: The token that ends the observer before.
    @discardableResult
    public func onTransition<Owner: AnyObject>(
        with owner: Owner, _ observer: @escaping (Owner, Transition<M>) -> Void
    ) -> ObserverToken {
        observe { _, end in
            { [weak owner] move in
                if let owner { observer(owner, move) } else { end() }
            }
        }
    }

    /// Adds an observer that is called once with each output of each later move, in order, after the move.
    ///
    /// All observers hear a move in order of registration, and all its outputs before anybody hears the next move.
    /// Nobody hears the outputs of the machine's start, nor those of an event that is refused.
    ///
    /// - Returns: The token that ends the observer.
    @discardableResult
    public func onOutput(_ observer: @escaping (Output) -> Void) -> ObserverToken {
        observe { listener, _ in
            { [unowned listener] move in
                for output in move.outputs where !listener.isEnded { observer(output) }
            }
        }
    }

    /// Adds an observer of outputs that ends with its owner. The machine does not keep the owner alive.
    ///
    /// - Returns: The token that ends the observer before.
    @discardableResult
    public func onOutput<Owner: AnyObject>(
        with owner: Owner, _ observer: @escaping (Owner, Output) -> Void
    ) -> ObserverToken {
        observe { listener, end in
            { [weak owner, unowned listener] move in
                guard let owner else { return end() }
                for output in move.outputs where !listener.isEnded { observer(owner, output) }
            }
        }
    }

    /// The moves from now on, until the machine is done. A reader that is 1,024 moves behind misses the oldest, and
    /// detects the gap by `seq`.
    public var transitions: AsyncStream<Transition<M>> {
        let (stream, continuation) = AsyncStream<Transition<M>>.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        guard status == .running else {
            continuation.finish()
            return stream
        }
        observe { [unowned self] _, end in
            { move in
                var isHeard = true
                if case .terminated = continuation.yield(move) { isHeard = false }
                if self.status == .done { continuation.finish() }
                if !isHeard || self.status == .done { end() }
            }
        }
        if let observer = observers.last { streams[ObjectIdentifier(observer)] = continuation }
        return stream
    }

    /// Adds an observer. `body` gets the observer and the function that ends it.
    @discardableResult
    private func observe(
        _ body: (_ listener: Observer<M>, _ end: @escaping () -> Void) -> (Transition<M>) -> Void
    ) -> ObserverToken {
        let observer = Observer<M>()
        let end = { [weak self, weak observer] in
            observer?.hear = nil
            guard let self, let observer else { return }
            self.streams[ObjectIdentifier(observer)] = nil
            self.observers.removeAll { $0 === observer }
        }
        observer.hear = body(observer, end)
        observers.append(observer)
        return ObserverToken(end: end)
    }

    @inlinable
    func tell() {
        guard !isAsking else { return }
        if !entries.isEmpty { enter() }
        guard !isTelling else { return }
        isTelling = true
        defer { isTelling = false }
        while !untold.isEmpty {
            let move = untold.removeFirst()
            for observer in observers { observer.hear?(move) }
        }
    }
}
