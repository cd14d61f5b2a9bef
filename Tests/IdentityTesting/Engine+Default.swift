package import Statechart
package import WorkflowEngine
package import WorkflowJSON
package import WorkflowStore

// These let tests of something else ask an engine without naming a caller.

extension Caller {
    /// A caller without an actor in the journal, in the default namespace.
    package static let test = Caller(nil, namespace: .default)
}

extension StartCommand {
    /// Creates a start by `Caller.test`.
    package init(
        machine: String, version: MachineVersion? = nil, instance: String? = nil, data: JSONObject = JSONObject(),
        key: RequestKey? = nil
    ) {
        self.init(
            machine: MachineName(rawValue: machine), version: version,
            instance: instance.map(InstanceName.init(rawValue:)),
            data: data, key: key, by: .test)
    }
}

extension SendCommand {
    /// Creates an event by `Caller.test`.
    package init(
        instance: String, event: Event, expectedSeq: Seq? = nil, expectedState: String? = nil, isDryRun: Bool = false,
        isExplained: Bool = false, wantsContext: Bool = true, key: RequestKey? = nil
    ) {
        self.init(
            instance: InstanceName(rawValue: instance), event: event, expectedSeq: expectedSeq,
            expectedState: expectedState, isDryRun: isDryRun, isExplained: isExplained, wantsContext: wantsContext,
            key: key, by: .test)
    }
}

extension RepairCommand {
    /// Creates a command of `Caller.test`.
    package init(
        instance: String, _ verb: Verb, reason: String? = nil, expectedSeq: Seq? = nil, isDryRun: Bool = false,
        key: RequestKey? = nil
    ) {
        self.init(
            instance: InstanceName(rawValue: instance), verb, reason: reason, expectedSeq: expectedSeq,
            isDryRun: isDryRun, key: key, by: .test)
    }
}

extension Engine {
    /// Stores a definition for `Caller.test`.
    @discardableResult
    package func apply(
        _ source: String, syntax: DefinitionSyntax
    ) async throws(Rejection) -> (AppliedMachine, warnings: [Diagnostic]) {
        try await apply(source, syntax: syntax, by: .test)
    }

    /// Returns an instance as `Caller.test` sees it.
    package func instance(named name: String) async throws(Rejection) -> InstanceView {
        try await instance(named: InstanceName(rawValue: name), by: .test)
    }

    /// Returns an instance as it was after a macrostep, as `Caller.test` sees it.
    package func instance(named name: String, after seq: Seq) async throws(Rejection) -> InstanceView? {
        try await instance(named: InstanceName(rawValue: name), after: seq, by: .test)
    }

    /// Returns the timers and delayed events of an instance, as `Caller.test` sees them.
    package func timers(of name: String) async throws(Rejection) -> [InstanceTimer] {
        try await timers(of: InstanceName(rawValue: name), by: .test)
    }

    /// Moves the clock for `Caller.test`.
    package func moveClock(to time: Timestamp) async throws(Rejection) -> ClockMove {
        try await moveClock(to: time, by: .test)
    }

    /// Makes a backup for `Caller.test`.
    package func backup() throws(Rejection) -> AsyncThrowingStream<BackupEvent, any Error> {
        try backup(by: .test)
    }

    /// Begins to fetch a backup for `Caller.test`.
    package func fetchBackup(_ name: String) async throws(Rejection) -> BackupFetch? {
        try await fetchBackup(name, by: .test)
    }

    /// Returns the deletions, latest first, with their machines.
    package func audits(
        before position: Position?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> [(audit: AuditRecord, machine: MachineRecord?)] {
        let view = try await audits(AuditQuery(kind: .deletion, before: position, limit: limit), by: caller)
        return view.page.entries.compactMap { entry in
            guard case .deletion(let audit) = entry else { return nil }
            return (audit, view.machines[audit.machineID])
        }
    }
}
