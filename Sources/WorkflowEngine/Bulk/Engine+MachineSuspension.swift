package import WorkflowStore

// Suspending a whole machine, and resuming it.

extension Engine {
    /// Suspends a machine with all its versions: no instance starts, and its instances accept nothing. Durable on
    /// return. An instance gets a row only when something is due for it.
    ///
    /// - Parameter reason: The operator's reason, which refused callers get.
    package func suspend(
        machine: MachineName, reason: String?, by caller: Caller
    ) async throws(Rejection) -> SettledMachine {
        var command = SetMachineCommand(machine: machine, .suspended(true), by: caller)
        command.reason = reason
        return try await set(command)
    }

    /// Returns the number of running instances of a machine.
    package func countRunning(of machine: MachineName, by caller: Caller) async throws(Rejection) -> Int64 {
        var count: Int64 = 0
        var query = TallyQuery(machines: [machine], limit: limits.talliedRows)
        repeat {
            let page = try await tally(query, by: caller)
            count += page.reduce(0) { $1.key.status == .running ? $0 + $1.count : $0 }
            query.after = page.count < query.limit ? nil : page.last?.key
        } while query.after != nil
        return count
    }

    /// Resumes a machine, and begins the run that resumes the instances that it suspended, both in one transaction. The
    /// transaction is on disk on return, and the run goes on by itself. Instances that a person or the brake suspended
    /// stay suspended.
    ///
    /// - Parameter run: The name of the run. With the name of an earlier run for the same request, nothing is done
    ///   again.
    package func resume(
        machine: MachineName, run: String, reason: String?, by caller: Caller
    ) async throws -> (SettledMachine, BulkView) {
        let request = BulkRequest.resuming(machine, reason: reason)
        var settles = SetMachineCommand(machine: machine, .suspended(false), by: caller)
        settles.reason = reason
        let view = try await begin(run: run, request, [], settles: settles, by: caller)
        let settled = try await settled(machine, by: caller)
        // A run that has ended resumes nothing again.
        if settled.setting.isSuspended {
            throw Rejection(
                .keyReused,
                "The run '\(run)' has resumed '\(machine)' before, and it was suspended again since: choose another "
                    + "name")
        }
        return (settled, view)
    }

    /// Returns the number of instances that a resume of a machine would resume.
    package func countSuspended(byMachine machine: MachineName, by caller: Caller) async throws -> Int64 {
        let request = BulkRequest.resuming(machine, reason: nil)
        try await check(request, [], by: caller)
        var count: Int64 = 0
        let turns = try BulkTurns(request, at: now, in: caller.namespace)
        try await forEachSelected(BulkWalk(turns: turns, names: .given([]))) { count += Int64($0.count) }
        return count
    }

    /// Returns the settings of a machine and its latest version, as they are on disk.
    package func settled(_ machine: MachineName, by caller: Caller) async throws(Rejection) -> SettledMachine {
        let latest = try await self.machine(named: machine, version: nil, by: caller).version
        return SettledMachine(setting: try await setting(of: machine, by: caller), latest: latest)
    }

    /// Returns the caller's suspended machines, by name.
    package func suspendedMachines(by caller: Caller) -> [MachineSetting] {
        library.board.settings.values.filter { $0.isSuspended && $0.key.namespace == caller.namespace }
            .sorted { $0.key.name.rawValue < $1.key.name.rawValue }
    }
}

extension BulkRequest {
    /// Returns the request that resumes the instances that a machine suspended.
    fileprivate static func resuming(_ machine: MachineName, reason: String?) -> BulkRequest {
        BulkRequest(
            action: .resume,
            targets: .selection(BulkSelection(machines: [machine], isSuspendedByMachine: true)), reason: reason)
    }
}
