import Statechart
package import WorkflowStore

/// What a run would do, told without doing it.
package struct BulkRehearsal: Sendable {
    /// Names what is selected: each instance, and its seq.
    package var digest: Digest
    package var selected: Int64
    /// Who would be done, or fail again, and so on.
    package var outcome = BulkOutcome()
    /// Of those that would be done, how many stand where afterwards: paths of leaves, joined by commas.
    package var groups: [String: Int64] = [:]
    /// How many stand elsewhere.
    package var others: Int64 = 0
}

/// The digest of a selection, made as it is gone through.
struct SelectionDigest {
    private var digest = RunningDigest()
    private var bytes: [UInt8] = []
    private(set) var count: Int64 = 0

    mutating func add(_ instance: InstanceRecord) {
        count += 1
        instance.uuid.withUnsafeBytes { bytes += $0 }
        withUnsafeBytes(of: instance.seq.rawValue.bigEndian) { bytes += $0 }
        if bytes.count >= 12_288 { flush() }
    }

    private mutating func flush() {
        digest.append(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Of all that were added.
    var value: Digest {
        mutating get {
            flush()
            return digest.value
        }
    }
}

extension Engine {
    /// Goes through what a run would be for, as it is on disk, in slices; nothing is kept from changing meanwhile.
    ///
    /// - Parameter body: Called with some instances, and with the names of those that are not there.
    func forEachSelected(
        _ request: BulkRequest, _ names: [InstanceName], at now: Timestamp, by caller: Caller,
        _ body: ([InstanceRecord], _ missing: [InstanceName]) async throws -> Void
    ) async throws {
        switch request.targets {
        case .selection(let selection):
            var query = SelectionQuery(
                selection.filter(at: now), version: selection.version, limit: limits.selectedPage)
            while true {
                try Task.checkCancellation()
                let slice = try await read { [query] () async throws(StoreError) in
                    try await store.selection(query, in: caller.namespace)
                }
                let found =
                    selection.isSuspendedByMachine ? try await suspendedByMachine(slice.instances) : slice.instances
                try await body(found, [])
                guard let next = slice.next else { return }
                query.after = next
            }
        case .names:
            for start in stride(from: 0, to: names.count, by: limits.selectedPage) {
                try Task.checkCancellation()
                var found: [InstanceRecord] = []
                var missing: [InstanceName] = []
                for name in names[start..<min(start + limits.selectedPage, names.count)] {
                    let key = InstanceKey(name, in: caller.namespace)
                    let record = try await read { () async throws(StoreError) in try await store.instance(key) }
                    if let record { found.append(record) } else { missing.append(name) }
                }
                try await body(found, missing)
            }
        }
    }

    /// Does to each selected instance, in memory, what a run would do. Nothing is written.
    ///
    /// - Parameter progress: Called with how many were tried.
    @concurrent package func rehearse(
        _ request: BulkRequest, _ names: [InstanceName], by caller: Caller,
        _ progress: @concurrent (_ done: Int64) async throws -> Void
    ) async throws -> BulkRehearsal {
        try await check(request, names, by: caller)
        let now = self.now
        var digest = SelectionDigest()
        var rehearsal = BulkRehearsal(digest: .zero, selected: 0)
        var told = ContinuousClock.now
        try await forEachSelected(request, names, at: now, by: caller) { found, missing in
            for name in missing {
                rehearsal.outcome.add(
                    .refused, name, limits: limits, Rejection.instanceNotFound(name).message)
            }
            for record in found {
                digest.add(record)
                try await rehearse(request, on: record, at: now, by: caller, &rehearsal)
            }
            if ContinuousClock.now - told > limits.progressInterval {
                told = .now
                try await progress(rehearsal.outcome.total)
            }
        }
        rehearsal.digest = digest.value
        rehearsal.selected = rehearsal.outcome.total
        return rehearsal
    }

    private func rehearse(
        _ request: BulkRequest, on record: InstanceRecord, at now: Timestamp, by caller: Caller,
        _ rehearsal: inout BulkRehearsal
    ) async throws(Rejection) {
        let name = record.name
        let loaded = try await loadedMachine(record.machineID)
        do throws(Rejection) {
            let state = try InstanceState(record: record, loaded: loaded)
            let ids = record.status == .running ? [] : state.effects
            let waiting =
                ids.isEmpty ? [] : try await read { () async throws(StoreError) in try await store.effects(ids) }
            if request.action.needsMachine, library.board.isSuspended(loaded.record.key) {
                throw .machineSuspended(state.facts)
            }
            let result = try request.rehearse(on: state, waiting, at: now, by: caller)
            let fails = result.status == .failed && request.action.endsFailures
            rehearsal.outcome.add(
                fails ? .failed : .done, name, limits: limits, fails ? "it would fail again" : nil)
            if fails { return }
            let place = result.to.joined(separator: ",")
            if rehearsal.groups[place] == nil, rehearsal.groups.count >= limits.rehearsedGroups {
                rehearsal.others += 1
            } else {
                rehearsal.groups[place, default: 0] += 1
            }
        } catch {
            if error.code.isOfDaemon { throw error }
            rehearsal.outcome.add(.refused, name, limits: limits, error.message)
        }
    }
}
