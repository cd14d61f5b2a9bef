import Statechart
package import WorkflowStore

extension Engine {
    /// Returns the running timers that are due next, of all instances that the caller sees.
    package func timers(
        after key: TimerKey?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> [ListedTimer] {
        try await read { () async throws(StoreError) in
            try await store.timers(in: caller.namespace, after: key, limit: limit)
        }
    }

    /// Returns the events that will come to an instance by themselves, the next first. In a failed or suspended
    /// instance they wait.
    package func timers(of name: InstanceName, by caller: Caller) async throws(Rejection) -> [InstanceTimer] {
        try await timers(of: try await instance(named: name, by: caller).record)
    }

    /// Returns the waiting timers of failed instances, which wait for a retry, then those of suspended ones, which wait
    /// for a resume. The list goes instance by instance and has at most `limit` timers; `next` is `nil` if there are no
    /// more.
    package func waitingTimers(
        from place: WaitingPlace?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> (timers: [(instance: InstanceName, timer: InstanceTimer)], next: WaitingPlace?) {
        let status: InstanceStatus = place?.after?.status == .suspended ? .suspended : .failed
        let found = try await waitingTimers(of: status, from: place, limit: limit, by: caller)
        if status == .suspended || found.next != nil { return found }
        let room = limit - found.timers.count
        if room == 0 { return (found.timers, .beforeSuspended) }
        let rest = try await waitingTimers(of: .suspended, from: .beforeSuspended, limit: room, by: caller)
        return (found.timers + rest.timers, rest.next)
    }

    /// Returns the waiting timers of one page of the instances of one status.
    private func waitingTimers(
        of status: InstanceStatus, from place: WaitingPlace?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> (timers: [(instance: InstanceName, timer: InstanceTimer)], next: WaitingPlace?) {
        let query = InstanceQuery(statuses: [status], limit: limit, after: place?.after.map { .found($0) })
        let page = try await read { () async throws(StoreError) in
            try await store.instances(query, in: caller.namespace)
        }
        var after = place?.after
        var found: [(instance: InstanceName, timer: InstanceTimer)] = []
        for record in page.instances {
            let taken = record.id == place?.instance ? place?.taken ?? 0 : 0
            let timers = try await timers(of: record).dropFirst(taken)
            let room = limit - found.count
            found += timers.prefix(room).map { (record.name, $0) }
            if timers.count > room {
                return (found, WaitingPlace(after: after, instance: record.id, taken: taken + room))
            }
            after = InstanceListPlace(machineID: record.machineID, status: record.status, id: record.id)
        }
        return (found, page.next?.found.map { WaitingPlace(after: $0, instance: $0.id, taken: 0) })
    }

    private func timers(of record: InstanceRecord) async throws(Rejection) -> [InstanceTimer] {
        let instance = try InstanceState(record: record, loaded: try await loadedMachine(record.machineID))
        // A result on which its instance failed waits like a timer; the end of a running invocation has no known time.
        let armed = instance.snapshot.armed.filter { $0.kind != .invocation || $0.isKept }
            .sorted(by: Pending.comesBefore)
        return armed.map { InstanceTimer($0, of: instance.machine, status: record.status) }
    }
}

/// A place in the list of timers that wait in instances that do not run.
package struct WaitingPlace: Sendable, Equatable {
    /// The last instance whose timers were all listed; `nil` before the first.
    package let after: InstanceListPlace?
    /// The instance of which some timers were listed.
    package let instance: InstanceID
    /// The number of listed timers of `instance`.
    package let taken: Int

    package init(after: InstanceListPlace?, instance: InstanceID, taken: Int) {
        self.after = after
        self.instance = instance
        self.taken = taken
    }

    /// The place behind the failed instances.
    static let beforeSuspended = WaitingPlace(
        after: InstanceListPlace(
            machineID: MachineID(rawValue: 0), status: .suspended, id: InstanceID(rawValue: 0)),
        instance: InstanceID(rawValue: 0), taken: 0)
}

/// An event that will come to an instance by itself, for display.
package struct InstanceTimer: Sendable, Equatable {
    package let event: String
    package let due: Timestamp
    /// The path of the state that owns the timer, which ends with the state; `nil` for an event that was sent.
    package let state: String?
    /// The id that `cancel` names; `nil` if there is none.
    package let id: String?
    /// The lateness in milliseconds up to which the timer still has an effect; `nil` if there is no limit.
    package let skipMilliseconds: Int64?
    /// True if the timer's delay begins anew when the timer is too late.
    package let rearms: Bool
    /// True if the timer waits because its instance does not run.
    package let waits: Bool
    /// True if the instance is suspended.
    package let isSuspended: Bool

    init(_ timer: Pending, of machine: Machine, status: InstanceStatus) {
        isSuspended = status == .suspended
        waits = isSuspended || status == .failed
        event = timer.event
        due = Timestamp(rawValue: timer.due.milliseconds)
        state = if case .state(let index) = timer.owner { machine.paths(of: [index]).first } else { nil }
        id = if case .send(let id) = timer.owner { id } else { nil }
        let misfire = machine.misfire(of: timer)
        skipMilliseconds = misfire.limit
        rearms = misfire.rearms
    }
}
