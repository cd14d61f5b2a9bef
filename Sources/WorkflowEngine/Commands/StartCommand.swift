import Statechart
package import WorkflowJSON
package import WorkflowStore

/// Starts an instance.
package struct StartCommand: Sendable {
    /// The machine's name.
    package var machine: MachineName
    /// The version; `nil` for the active version, or else the latest.
    package var version: MachineVersion?
    /// The name of the instance; `nil` for a generated name.
    package var instance: InstanceName?
    package var data: JSONObject
    /// The caller's key; the same start with the same key is carried out once.
    package var key: RequestKey?
    package var caller: Caller

    package init(
        machine: MachineName, version: MachineVersion? = nil, instance: InstanceName? = nil,
        data: JSONObject = JSONObject(), key: RequestKey? = nil, by caller: Caller
    ) {
        self.machine = machine
        self.version = version
        self.instance = instance
        self.data = data
        self.key = key
        self.caller = caller
    }

    var machineKey: MachineKey { MachineKey(machine, in: caller.namespace) }
}

extension StartCommand: PlacedCommand {
    var size: Int { 256 + data.members.reduce(0) { $0 + $1.key.utf8.count + $1.value.size } }
    var isLong: Bool { false }

    /// The machine, because the instance is new.
    var payers: [CommandTarget] { [.machine(machineKey)] }
    var targets: [CommandTarget] {
        payers + (instance.map { [.instance(InstanceKey($0, in: caller.namespace))] } ?? [])
    }
    var place: CommandPlace {
        instance.map { .instance(InstanceKey($0, in: caller.namespace)) } ?? .unnamed(machineKey, key)
    }
    var summary: String { "start \(machine) \(instance?.rawValue ?? "")" }

    func want(_ rows: inout WantedRows) {
        rows.machines.insert(WantedMachine(machineKey, version: version))
        if let instance { rows.instances.insert(InstanceKey(instance, in: caller.namespace)) }
        if let key {
            rows.machines.insert(WantedMachine(machineKey, version: .first))
            rows.keys.insert(WantedKey(key, in: .machine(machineKey)))
        }
    }

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> KeyedAnswer<InstanceView> {
        try start(in: &batch) { started, _ in
            InstanceView(
                record: started.state.written(), machine: started.state.loaded.record, failure: started.state.failure)
        }
    }

    /// Starts the instance, and records the events that it sends to itself as a consequence.
    ///
    /// - Parameter answer: Returns the answer from the instance and the chain of its start.
    func start<Answer: Sendable>(
        in batch: inout BatchBuilder, _ answer: (LiveInstance, Chain) -> Answer
    ) throws(Rejection) -> KeyedAnswer<Answer> {
        let scope: KeyScope? = if let key { try scope(of: key, in: batch) } else { nil }
        if let key, let scope, let position = try batch.position(of: key, in: scope) { return .repeated(position) }
        let setting = batch.setting(of: machineKey)
        let version = version ?? setting.active
        guard let loaded = try batch.machine(machineKey, version: version) else {
            let latest = try batch.machine(machineKey, version: nil)
            throw .machineNotFound(
                name: machine, version: version, latest: latest?.record.version)
        }
        if let suspension = setting.suspension { throw .machineSuspended(machine, suspension) }
        let uuid = instance == nil ? batch.newName(in: caller.namespace) : batch.newID()
        let name = InstanceKey(instance ?? InstanceName(rawValue: uuid.text), in: caller.namespace)
        // A generated name is unused, and is not looked up.
        if instance != nil, try batch.instance(name) != nil { throw .instanceExists(name.name) }
        let state = InstanceState(
            started: batch.numbers.nextInstance, uuid: uuid, key: name, loaded: loaded, salt: batch.newSalt(),
            at: batch.now)
        let input = Input.start(with: data, at: state.identity.startedAt)
        switch loaded.machine.chain(input, from: nil, as: state.identity, spending: &batch.cost) {
        case .failure(.invalidData(let reason)): throw .invalidData(reason)
        case .failure(let refusal):
            throw .refused(refusal, event: input.event.name, machine: loaded.machine, facts: nil)
        case .success(let chain):
            batch.numbers.nextInstance = batch.numbers.nextInstance.next
            if let scope { batch.remember(key, in: scope, at: batch.numbers.nextPosition) }
            let started = LiveInstance(state)
            batch.add(started: started)
            batch.record(chain, of: started, from: RowOrigin(caller, key: key))
            return .first(answer(started, chain))
        }
    }

    /// Returns the scope of a start's key: the machine's name, whatever the version.
    private func scope(of key: RequestKey, in batch: BatchBuilder) throws(Rejection) -> KeyScope? {
        guard let first = try batch.machine(machineKey, version: .first) else { return nil }
        let scope = KeyScope.machine(first.record.id)
        if try batch.position(of: key, in: scope) == nil { try batch.refuseExpired(key) }
        return scope
    }
}

/// An instance, with the machine that it runs.
package struct InstanceView: Sendable {
    package let record: InstanceRecord
    package let machine: MachineRecord
    /// The failure; `nil` if the instance has not failed.
    package let failure: InstanceFailure?
    /// True if this is the answer to an earlier start with the same key, given again.
    package var isRepeated = false
}
