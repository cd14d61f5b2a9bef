/// Which effects to list.
package struct EffectQuery: Sendable, Equatable {
    /// Empty for all.
    package var queues: [String]
    /// Empty for all.
    package var states: [EffectState]
    package var limit: Int
    /// Where the page before ended; nil for the first page.
    package var after: Position?

    package init(queues: [String] = [], states: [EffectState] = [], limit: Int, after: Position? = nil) {
        self.queues = queues
        self.states = states
        self.limit = limit
        self.after = after
    }

    /// True: effects of a queue and in a state are listed.
    package func takes(queue: String, state: String) -> Bool {
        (queues.isEmpty || queues.contains { $0.utf8.elementsEqual(queue.utf8) })
            && (states.isEmpty || states.contains { $0.rawValue == state })
    }
}

/// An effect as it is listed.
package struct ListedEffect: Sendable, Equatable {
    package let effect: EffectRecord
    /// The name of its instance.
    package let instance: InstanceName

    package init(effect: EffectRecord, instance: InstanceName) {
        self.effect = effect
        self.instance = instance
    }
}

/// An attempt as it is listed.
package struct ListedAttempt: Sendable, Equatable {
    package let attempt: AttemptRecord
    /// Of the macrostep that began its effect.
    package let seq: Seq

    package init(_ attempt: AttemptRecord, seq: Seq) {
        self.attempt = attempt
        self.seq = seq
    }
}

/// A page of an instance's attempts.
package struct AttemptPage: Sendable, Equatable {
    package var attempts: [ListedAttempt] = []
    /// The row of the instance to go on with; nil when this was the last page.
    package var next: Position?

    package init() {}
}

/// A page of the list of effects.
package struct EffectPage: Sendable, Equatable {
    package var effects: [ListedEffect]
    /// Where to go on; nil when this was the last page.
    package var next: Position?

    package init(effects: [ListedEffect], next: Position?) {
        self.effects = effects
        self.next = next
    }
}
