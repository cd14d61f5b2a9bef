package import Statechart
package import WorkflowStore

extension Engine {
    /// Stores a definition as the next version of its machine, unless it is the latest version already. A definition
    /// that was applied under earlier semantics is stored again.
    ///
    /// - Parameter isActivated: True if new instances may use the version; otherwise they continue with the version
    ///   before.
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

    /// Stores a definition that was read already, as `apply(_:syntax:isActivated:by:)` does.
    ///
    /// - Parameter source: The definition's text.
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

    /// Returns warnings about what an effect needs and this daemon lacks.
    private func missing(for effect: EffectUse) async -> [Diagnostic] {
        if case .task = effect.action { return [] }
        let kind = effect.action.kind
        guard let runner = runners.first(where: { $0.serves(kind + ":") }) else {
            return [effect.warning("nothing here does '\(kind)': it waits until wfd serves this database")]
        }
        return await runner.missing(for: effect.action).map { effect.warning("it will be held: \($0)") }
    }
}

extension Engine {
    /// Changes a setting of a machine; durable on return. Returns the settings that apply then.
    package func set(_ command: SetMachineCommand) async throws(Rejection) -> SettledMachine {
        log.asked("set a machine", by: command.caller)
        return try await queue.submit(command)
    }

    /// Returns the settings of a machine, as they are on disk.
    package func setting(of machine: MachineName, by caller: Caller) async throws(Rejection) -> MachineSetting {
        let key = MachineKey(machine, in: caller.namespace)
        let setting = try await read { () async throws(StoreError) in try await store.machineSetting(of: key) }
        return setting ?? MachineSetting(of: key)
    }

    /// Returns the settings of the caller's machines behind a name, in the order of names; machines with the defaults
    /// are left out.
    package func settings(
        after name: MachineName?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> [MachineSetting] {
        try await read { () async throws(StoreError) in
            try await store.machineSettings(in: caller.namespace, after: name, limit: limit)
        }
    }
}
