/// What an operator has set for a machine, whatever its versions.
package struct MachineSetting: Sendable, Equatable {
    package let key: MachineKey
    /// The version that new instances take; nil for the latest.
    package var active: MachineVersion?
    /// Whether no instance begins, and none takes an event.
    package var isSuspended: Bool
    /// How long finished instances are kept, in milliseconds; nil for ever.
    package var retention: Int64?

    /// Says nothing but what is given.
    package init(
        of key: MachineKey, active: MachineVersion? = nil, isSuspended: Bool = false, retention: Int64? = nil
    ) {
        self.key = key
        self.active = active
        self.isSuspended = isSuspended
        self.retention = retention
    }

    /// Whether it says nothing: then no row of it is kept.
    package var isStandard: Bool { active == nil && !isSuspended && retention == nil }
}
