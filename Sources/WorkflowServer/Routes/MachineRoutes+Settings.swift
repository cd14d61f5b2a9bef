import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

// The settings of a machine, which apply to all its versions.

extension MachineRoutes {
    func activate(_ request: RoutedRequest) async throws -> Response {
        let machine = try request.machine
        let version = try await request.object(as: ActivateRequest.self).version.number
        let command = SetMachineCommand(
            machine: machine, .active(version.map(MachineVersion.init(rawValue:))), by: request.caller)
        return Response(MachineSettingsItem(try await asking { try await engine.set(command) }))
    }

    func suspend(_ request: RoutedRequest) async throws -> Response {
        let machine = try request.machine
        let body = try await request.object(as: SuspendMachineRequest.self)
        let settled = try await asking {
            body.dryRun == true
                ? try await engine.settled(machine, by: request.caller)
                : try await engine.suspend(machine: machine, reason: body.reason, by: request.caller)
        }
        var item = MachineSettingsItem(settled)
        item.instances = try await asking { try await engine.countRunning(of: machine, by: request.caller) }
        if body.dryRun == true { item.dryRun = true }
        return Response(item)
    }

    func resume(_ request: RoutedRequest) async throws -> Response {
        let machine = try request.machine
        let body = try await request.object(as: ResumeMachineRequest.self)
        var item: MachineSettingsItem
        if let run = body.run, body.dryRun != true {
            let (settled, view) = try await asking {
                try await engine.resume(machine: machine, run: run, reason: body.reason, by: request.caller)
            }
            item = MachineSettingsItem(settled)
            item.instances = view.record.selected
            item.run = run
        } else {
            item = MachineSettingsItem(try await asking { try await engine.settled(machine, by: request.caller) })
            item.instances = try await asking {
                try await engine.countSuspended(byMachine: machine, by: request.caller)
            }
            item.dryRun = true
        }
        return Response(item)
    }

    func retain(_ request: RoutedRequest) async throws -> Response {
        let machine = try request.machine
        let body = try await request.object(as: RetentionRequest.self)
        var age: Int64?
        do throws(DelayError) {
            age = try body.retention.map { text throws(DelayError) in try DelayText.lengthWithUnit(of: text) }
        } catch {
            throw Problem(.invalidRequest, detail: "Field 'retention': \(error.message), or 'none'")
        }
        if age == 0, body.dryRun != true {
            throw Problem(
                .invalidRequest, detail: "Field 'retention': with '0' nothing would be kept; write 90d, 36h or another")
        }
        guard body.dryRun == true else {
            let command = SetMachineCommand(machine: machine, .retention(age), by: request.caller)
            return Response(MachineSettingsItem(try await asking { try await engine.set(command) }))
        }
        var item = MachineSettingsItem(try await asking { try await engine.settled(machine, by: request.caller) })
        item.instances = 0
        if let age {
            let purge = WorkflowEngine.PurgeRequest(
                machine: machine, age: age, reason: nil, isDryRun: true, by: request.caller)
            item.instances = Int64(try await asking { try await engine.purge(purge).deleted })
        }
        item.dryRun = true
        return Response(item)
    }
}

extension MachineSettingsItem {
    /// Creates the wire form of a machine's settings.
    init(_ machine: SettledMachine) {
        self.init(
            machine: machine.setting.key.name.rawValue, latest: machine.latest.rawValue,
            active: machine.setting.active.map { .version($0.rawValue) } ?? .latest,
            suspended: MachineSuspensionItem(machine.setting),
            retentionInMilliseconds: machine.setting.retention)
    }
}

extension MachineSuspensionItem {
    /// Creates the wire form of a machine's suspension; `nil` if the machine is not suspended.
    init?(_ setting: MachineSetting) {
        guard let suspension = setting.suspension else { return nil }
        self.init(
            machine: setting.key.name.rawValue, at: WireTime(milliseconds: suspension.at.rawValue),
            actor: suspension.actor?.rawValue, reason: suspension.reason)
    }
}
