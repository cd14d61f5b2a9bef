package import Statechart
package import WorkflowStore

/// A definition to store.
struct ApplyMachineCommand: WriterCommand {
    /// The text exactly as given.
    let source: String
    let machine: Machine
    /// Whether new instances may take it; else they go on with the version that they took before.
    let isActivated: Bool
    let caller: Caller

    private var key: MachineKey { MachineKey(MachineName(rawValue: machine.name), in: caller.namespace) }

    var size: Int { 256 + source.utf8.count }
    var isLong: Bool { false }
    var payers: [CommandTarget] { [] }
    var targets: [CommandTarget] { [.machine(key)] }
    var summary: String { "apply \(machine.name)" }

    func want(_ rows: inout WantedRows) { rows.machines.insert(WantedMachine(key, version: nil)) }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> AppliedMachine {
        let key = key
        let latest = try batch.machine(key, version: nil)
        if let latest, latest.record.semantics == machine.semantics.rawValue,
            latest.record.source.utf8.elementsEqual(source.utf8)
        {
            return AppliedMachine(record: latest.record, isNew: false, active: batch.setting(of: key).active)
        }
        var setting = batch.setting(of: key)
        if !isActivated, setting.active == nil, let latest {
            setting.active = latest.record.version
            try batch.set(setting)
            batch.note(.settled(setting, by: caller.actor, nil))
        }
        let record = MachineRecord(
            id: batch.numbers.nextMachine, namespace: key.namespace, name: key.name,
            version: latest?.record.version.next ?? .first, digest: Digest(of: source.utf8),
            semantics: machine.semantics.rawValue, source: source, created: batch.now)
        batch.add(LoadedMachine(record: record, machine: machine))
        var applied = AppliedMachine(record: record, isNew: true, active: setting.active)
        if let earlier = latest?.record.semantics, earlier != record.semantics {
            applied.earlierSemantics = Semantics(rawValue: earlier)
        }
        return applied
    }
}

/// The answer to an apply.
package struct AppliedMachine: Sendable {
    package let record: MachineRecord
    /// False when the latest version already has this text and the same semantics.
    package let isNew: Bool
    /// The version that new instances take; nil for the latest.
    package let active: MachineVersion?
    /// The semantics of the previous version; nil when they are the same.
    package internal(set) var earlierSemantics: Semantics?
}

extension Engine {
    /// Stores a definition as the next version of its machine, unless it is the latest already. One that was applied
    /// under earlier semantics is stored again.
    ///
    /// - Parameter isActivated: Whether new instances may take it; else they go on with the version of before.
    package func apply(
        _ source: String, syntax: DefinitionSyntax, isActivated: Bool = true, by caller: Caller
    ) async throws(Rejection) -> (AppliedMachine, warnings: [Diagnostic]) {
        let reading: DefinitionReading
        do throws(DefinitionError) {
            reading = try DefinitionReader.read(source, syntax: syntax)
        } catch {
            throw .invalidDefinition(error)
        }
        return try await apply(reading, of: source, isActivated: isActivated, by: caller)
    }

    /// The same for a definition that was read already.
    ///
    /// - Parameter source: Its text.
    package func apply(
        _ reading: DefinitionReading, of source: String, isActivated: Bool = true, by caller: Caller
    ) async throws(Rejection) -> (AppliedMachine, warnings: [Diagnostic]) {
        let command = ApplyMachineCommand(
            source: source, machine: reading.machine, isActivated: isActivated, caller: caller)
        let applied = try await queue.submit(command)
        var missing: [Diagnostic] = []
        for effect in reading.machine.effects where missing.count < DefinitionLimits.diagnostics {
            missing += await self.missing(for: effect)
        }
        return (applied, reading.warnings + missing.prefix(DefinitionLimits.diagnostics))
    }

    /// What an effect needs that is not here.
    private func missing(for effect: EffectUse) async -> [Diagnostic] {
        if case .task = effect.action { return [] }
        let kind = effect.action.kind
        guard let runner = runners.first(where: { $0.serves(kind + ":") }) else {
            return [effect.warning("nothing here does '\(kind)': it waits until wfd serves this database")]
        }
        return await runner.missing(for: effect.action).map { effect.warning("it will be held: \($0)") }
    }
}
