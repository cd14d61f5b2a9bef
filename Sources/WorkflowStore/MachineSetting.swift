/// An operator's settings of a machine, for all its versions.
package struct MachineSetting: Sendable, Equatable {
    package let key: MachineKey
    /// The version that new instances take; `nil` for the latest.
    package var active: MachineVersion?
    /// The reason why no instance begins and none takes an event; `nil` if the machine is not suspended.
    package var suspension: MachineSuspension?
    /// The time in milliseconds for which finished instances are kept; `nil` for ever.
    package var retention: Int64?

    /// Creates settings with the given parts; the other parts are the defaults.
    package init(
        of key: MachineKey, active: MachineVersion? = nil, suspension: MachineSuspension? = nil, retention: Int64? = nil
    ) {
        self.key = key
        self.active = active
        self.suspension = suspension
        self.retention = retention
    }

    /// True if no instance begins and none takes an event.
    package var isSuspended: Bool { suspension != nil }

    /// True if all settings are the defaults; then the store keeps no row.
    package var isStandard: Bool { active == nil && !isSuspended && retention == nil }
}

/// The author and the reason of a machine's suspension.
package struct MachineSuspension: Sendable, Equatable {
    package var at: Timestamp
    /// The caller; `nil` if unknown.
    package var actor: Actor?
    /// The reason that the caller gave.
    package var reason: String?

    /// Creates a suspension of its parts.
    package init(at: Timestamp, by actor: Actor?, reason: String?) {
        self.at = at
        self.actor = actor
        self.reason = reason
    }
}
