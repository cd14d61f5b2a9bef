package import Statechart
package import WorkflowStore

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

extension Engine {
    /// Sets something for a machine; durable when it returns. Gives what holds then.
    package func set(_ command: SetMachineCommand) async throws(Rejection) -> SettledMachine {
        log.asked("set a machine", by: command.caller)
        return try await queue.submit(command)
    }

    /// What is set for a machine, as it is on disk.
    package func setting(of machine: MachineName, by caller: Caller) async throws(Rejection) -> MachineSetting {
        let key = MachineKey(machine, in: caller.namespace)
        let setting = try await read { () async throws(StoreError) in try await store.machineSetting(of: key) }
        return setting ?? MachineSetting(of: key)
    }

    /// What is set for the caller's machines, by name, after a name; machines with the defaults are left out.
    package func settings(
        after name: MachineName?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> [MachineSetting] {
        try await read { () async throws(StoreError) in
            try await store.machineSettings(in: caller.namespace, after: name, limit: limit)
        }
    }
}
