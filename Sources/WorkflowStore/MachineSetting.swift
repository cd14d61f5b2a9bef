/// What an operator has set for a machine, whatever its versions.
package struct MachineSetting: Sendable, Equatable {
    package let key: MachineKey
    /// The version that new instances take; nil for the latest.
    package var active: MachineVersion?
    /// Why no instance begins, and none takes an event; nil when they do.
    package var suspension: MachineSuspension?
    /// How long finished instances are kept, in milliseconds; nil for ever.
    package var retention: Int64?

    /// Says nothing but what is given.
    package init(
        of key: MachineKey, active: MachineVersion? = nil, suspension: MachineSuspension? = nil, retention: Int64? = nil
    ) {
        self.key = key
        self.active = active
        self.suspension = suspension
        self.retention = retention
    }

    /// Whether no instance begins, and none takes an event.
    package var isSuspended: Bool { suspension != nil }

    /// Whether it says nothing: then no row of it is kept.
    package var isStandard: Bool { active == nil && !isSuspended && retention == nil }
}

/// Who has suspended a machine, and why.
package struct MachineSuspension: Sendable, Equatable {
    package var at: Timestamp
    /// Nil where nobody is known.
    package var actor: Actor?
    /// What the person said.
    package var reason: String?

    /// Takes the parts as they are.
    package init(at: Timestamp, by actor: Actor?, reason: String?) {
        self.at = at
        self.actor = actor
        self.reason = reason
    }
}
