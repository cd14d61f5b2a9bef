import Statechart
import WorkflowJSON
package import WorkflowStore

/// Failed instances of one machine version that failed on the same event, for the same reason.
package struct FailureGroup: Sendable, Equatable {
    package let machine: MachineName
    package let version: MachineVersion
    package let failure: RecordedFailure
    package internal(set) var count = 0
    /// The time when the first of the instances failed.
    package internal(set) var since: Timestamp
    /// The instance that failed first.
    package internal(set) var instance: InstanceName
    /// The version in which that instance failed, if it has migrated since; else `nil`.
    package internal(set) var failedVersion: MachineVersion?
}

/// Failed instances, grouped by what they have in common.
package struct FailureGroups: Sendable {
    /// The groups, the largest first.
    package let groups: [FailureGroup]
    /// The number of instances in no group, because there are too many groups.
    package let others: Int
    /// The number of instances whose reason was redacted.
    package let redacted: Int
}

extension Engine {
    /// Groups the failed instances by the reasons of their failures. Reads each of them once.
    ///
    /// - Parameter machines: The machines; empty for all.
    package func failures(of machines: [MachineName], by caller: Caller) async throws(Rejection) -> FailureGroups {
        for machine in machines { _ = try await self.machine(named: machine, by: caller) }
        var counted: [FailureKey: FailureGroup] = [:]
        var first: [FailureKey: (record: InstanceRecord, seq: Int64)] = [:]
        var (others, redacted) = (0, 0)
        var query = InstanceQuery(machines: machines, statuses: [.failed], limit: limits.countedPage)
        repeat {
            let page = try await read { [query] () async throws(StoreError) in
                try await store.instances(query, in: caller.namespace)
            }
            for record in page.instances {
                guard let told = record.toldFailure else {
                    redacted += 1
                    continue
                }
                let key = FailureKey(machine: record.machineID, failure: told.reason)
                if counted[key] == nil {
                    guard counted.count < limits.failureGroups else {
                        others += 1
                        continue
                    }
                    let machine = try await loadedMachine(record.machineID).record
                    counted[key] = FailureGroup(
                        machine: machine.name, version: machine.version, failure: told.reason, since: told.at,
                        instance: record.name)
                }
                if counted[key]?.add(record.name, since: told.at) ?? false { first[key] = (record, told.seq) }
            }
            query.after = page.next
        } while query.after != nil
        for (key, first) in first {
            let seqs = first.seq...first.seq
            let query = HistoryQuery(
                instance: first.record.id, head: first.record.head, headSeq: first.record.seq, seqs: seqs,
                isReversed: true)
            // One unreadable history must not hide all failures; a verification finds it.
            guard let row = (try? await history(query))?.first, row.machineID != first.record.machineID
            else { continue }
            counted[key]?.failedVersion = try await loadedMachine(row.machineID).record.version
        }
        return FailureGroups(
            groups: counted.values.sorted(by: FailureGroup.comesBefore), others: others, redacted: redacted)
    }

    /// Returns the numbers of instances by status and configuration.
    package func tally(_ query: TallyQuery, by caller: Caller) async throws(Rejection) -> [TallyRecord] {
        try await read { () async throws(StoreError) in try await store.tally(query, in: caller.namespace) }
    }
}

/// The properties that the failures of a group share.
private struct FailureKey: Hashable {
    let machine: MachineID
    let failure: RecordedFailure
}

extension FailureGroup {
    /// Counts one more instance. Returns true if it failed before all others so far.
    fileprivate mutating func add(_ name: InstanceName, since: Timestamp) -> Bool {
        count += 1
        guard count == 1 || since < self.since else { return false }
        self.since = since
        instance = name
        return true
    }

    fileprivate static func comesBefore(_ one: FailureGroup, _ other: FailureGroup) -> Bool {
        if one.count != other.count { return one.count > other.count }
        if one.since != other.since { return one.since < other.since }
        return one.instance.rawValue < other.instance.rawValue
    }
}

extension InstanceRecord {
    /// The reason and time of the instance's failure; `nil` if it has not failed, or a redaction erased the reason.
    fileprivate var toldFailure: (reason: RecordedFailure, at: Timestamp, seq: Int64)? {
        guard let object = failure.flatMap(RecordedFailure.object), case .int(let at)? = object["at"],
            Timestamp.range.contains(at), case .int(let seq)? = object["seq"],
            let reason = RecordedFailure(.object(object))
        else { return nil }
        return (reason.caused(by: InvocationError(armed: state.armed)), Timestamp(rawValue: at), seq)
    }
}
