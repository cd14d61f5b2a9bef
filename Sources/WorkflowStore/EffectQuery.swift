/// A selection of effects for a list.
package struct EffectQuery: Sendable, Equatable {
    /// The queues; empty for all.
    package var queues: [String]
    /// The states; empty for all.
    package var states: [EffectState]
    package var limit: Int
    /// The end of the previous page; `nil` for the first page.
    package var after: Position?

    package init(queues: [String] = [], states: [EffectState] = [], limit: Int, after: Position? = nil) {
        self.queues = queues
        self.states = states
        self.limit = limit
        self.after = after
    }

    /// Returns true if the query selects effects of a queue and in a state.
    package func takes(queue: String, state: String) -> Bool {
        (queues.isEmpty || queues.contains { $0.utf8.elementsEqual(queue.utf8) })
            && (states.isEmpty || states.contains { $0.rawValue == state })
    }
}

/// An effect as an element of a list.
package struct ListedEffect: Sendable, Equatable {
    package let effect: EffectRecord
    /// The name of the effect's instance.
    package let instance: InstanceName

    package init(effect: EffectRecord, instance: InstanceName) {
        self.effect = effect
        self.instance = instance
    }
}

/// An attempt as an element of a list.
package struct ListedAttempt: Sendable, Equatable {
    package let attempt: AttemptRecord
    /// The seq of the macrostep that began its effect.
    package let seq: Seq

    package init(_ attempt: AttemptRecord, seq: Seq) {
        self.attempt = attempt
        self.seq = seq
    }
}

/// A page of an instance's attempts.
package struct AttemptPage: Sendable, Equatable {
    package var attempts: [ListedAttempt] = []
    /// The row of the instance at which the next page starts; `nil` after the last page.
    package var next: Position?

    package init() {}
}

/// A page of a list of effects.
package struct EffectPage: Sendable, Equatable {
    package var effects: [ListedEffect]
    /// The start of the next page; `nil` after the last page.
    package var next: Position?

    package init(effects: [ListedEffect], next: Position?) {
        self.effects = effects
        self.next = next
    }
}
