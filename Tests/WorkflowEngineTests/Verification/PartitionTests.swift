import IdentityTesting
import SQLiteStore
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// A store of several partitions. Each is a file, whose numbers are moved to their places in such a store.
private struct PartitionedFiles: StoreReader, StoreAudit {
    let files: [SQLiteFile]
    /// The files, whose folders must live as long as the store.
    let written: [WrittenFile]

    var audit: (any StoreAudit)? { self }
    var identity: StoreIdentity { files[0].identity }
    var partitions: [PartitionID] { files.indices.map { PartitionID(rawValue: Int64($0)) } }

    func inspectStore() async throws(StoreError) -> StoreInspection {
        var numbers: [StoreNumbers] = []
        for (place, file) in files.enumerated() {
            for var found in try await file.inspectStore().numbers {
                found.nextPosition = found.nextPosition.moved(to: place)
                found.nextInstance = found.nextInstance.moved(to: place)
                numbers.append(found)
            }
        }
        return StoreInspection(numbers: numbers)
    }

    func inspectInstances(in ids: ClosedRange<Int64>) async throws(StoreError) -> InspectedInstances {
        let place = place(of: ids)
        var slice = try await files[place].inspectInstances(in: ids.moved(from: place))
        for index in slice.instances.indices { slice.instances[index].record.move(to: place) }
        slice.through = min(InstanceID(rawValue: slice.through).moved(to: place).rawValue, ids.upperBound)
        slice.nextPosition = slice.nextPosition.moved(to: place)
        return slice
    }

    func inspectJournal(
        _ positions: ClosedRange<Int64>, of instances: ClosedRange<Int64>
    ) async throws(StoreError) -> InspectedJournal {
        let place = place(of: positions)
        var slice = try await files[place].inspectJournal(
            positions.moved(from: place), of: instances.moved(from: place))
        slice.move(to: place)
        slice.through = min(Position(rawValue: slice.through).moved(to: place).rawValue, positions.upperBound)
        slice.firstAbove = slice.firstAbove?.moved(to: place)
        return slice
    }

    /// Returns the place of a range's partition. A range never spans two partitions, but may begin before all numbers.
    private func place(of range: ClosedRange<Int64>) -> Int { max(0, Int(range.upperBound >> 48)) }

    // Records that the first file has too.

    func machine(_ key: MachineKey, version: MachineVersion?) async throws(StoreError) -> MachineRecord? {
        try await files[0].machine(key, version: version)
    }
    func machine(_ id: MachineID) async throws(StoreError) -> MachineRecord? { try await files[0].machine(id) }
    func inspectMachines(after id: MachineID) async throws(StoreError) -> InspectedMachines {
        try await files[0].inspectMachines(after: id)
    }

    // Requests that verifying and replaying everything never make.

    func machines(in namespace: NamespaceID, after name: MachineName?, limit: Int) -> [MachineRecord] { [] }
    func machineNames(in namespace: NamespaceID, limit: Int) -> [MachineName] { [] }
    func instance(_ key: InstanceKey) -> InstanceRecord? { nil }
    func instanceNames(near key: InstanceKey, limit: Int) -> [InstanceName] { [] }
    func instances(_ query: InstanceQuery, in namespace: NamespaceID) -> InstancePage {
        InstancePage(instances: [], next: nil)
    }
    func tally(_ query: TallyQuery, in namespace: NamespaceID) -> [TallyRecord] { [] }
    func oldestRunning(in namespace: NamespaceID, atMost bound: Int) -> [OldestInState] { [] }
    func machineSetting(of key: MachineKey) -> MachineSetting? { nil }
    func machineSettings(in namespace: NamespaceID, after name: MachineName?, limit: Int) -> [MachineSetting] { [] }
    func audits(_ query: AuditQuery, in namespace: NamespaceID) -> AuditPage { AuditPage(entries: []) }
    func history(_ query: HistoryQuery) -> [JournalRecord] { [] }
    func snapshot(of instance: InstanceID, atOrBefore seq: Seq) -> SnapshotRecord? { nil }
    func continued(_ searches: [StaySearch]) -> [StaySearch] { searches }
    func timers(in namespace: NamespaceID, after key: TimerKey?, limit: Int) -> [ListedTimer] { [] }
    func effects(_ ids: [Position]) -> [EffectRecord] { [] }
    func effects(_ query: EffectQuery, in namespace: NamespaceID) -> EffectPage { EffectPage(effects: [], next: nil) }
    func queues(_ query: QueueQuery) -> [QueueSummary] { [] }
    func selection(_ query: SelectionQuery, in namespace: NamespaceID) -> SelectionSlice {
        SelectionSlice(instances: [], next: nil)
    }
    func bulkRun(_ key: BulkKey) -> BulkRecord? { nil }
    func bulkRuns(after key: BulkKey?, limit: Int) -> [BulkRecord] { [] }
    func bulkNames(of key: BulkKey, from number: Int64) -> [InstanceName] { [] }
    func calls(behind head: Position) -> [Position] { [] }
    func attempts(behindRowsFrom row: Position, limit: Int) -> AttemptPage { AttemptPage() }
    func attempts(of effect: Position, instance: InstanceID) -> [AttemptRecord] { [] }
    func erasures(after id: Int64?, limit: Int) -> [ErasureRecord] { [] }
    func rows(at positions: [Position]) -> [JournalRecord] { [] }
    func instance(_ id: InstanceID) -> InstanceRecord? { nil }
    func inspectRows(_ positions: [Position]) -> InspectedJournal { InspectedJournal(through: .max) }
    func inspectErasures(of instances: ClosedRange<Int64>, after id: Int64?) -> InspectedErasures {
        InspectedErasures()
    }
    func inspectCopies(after place: InspectionPlace) -> InspectedCopies { InspectedCopies() }
    func inspectIndexes(after place: InspectionPlace) -> InspectedIndexes { InspectedIndexes() }
}

extension PartitionedNumber {
    fileprivate func moved(to place: Int) -> Self {
        rawValue == .max ? self : Self(rawValue: rawValue + Int64(place) << 48)
    }
}

extension ClosedRange<Int64> {
    /// Returns the range in the numbers of a partition's file. It begins before all numbers if the partition is not the
    /// first.
    fileprivate func moved(from place: Int) -> ClosedRange<Int64> {
        let first = Int64(place) << 48
        let lower = lowerBound < .min + first ? .min : lowerBound - first
        return lower...(upperBound == .max ? .max : Swift.max(lower, upperBound - first))
    }
}

extension InspectedJournal {
    fileprivate mutating func move(to place: Int) {
        for index in rows.indices {
            rows[index].position = rows[index].position.moved(to: place)
            rows[index].instanceID = rows[index].instanceID.moved(to: place)
            rows[index].previous = rows[index].previous?.moved(to: place)
        }
        snapshots = Dictionary(
            uniqueKeysWithValues: snapshots.map { position, snapshot in
                var snapshot = snapshot
                snapshot.position = snapshot.position.moved(to: place)
                return (position.moved(to: place), snapshot)
            })
        calls = Dictionary(uniqueKeysWithValues: calls.map { ($0.moved(to: place), $1.moved(to: place)) })
        func moved(_ texts: [Position: String]) -> [Position: String] {
            Dictionary(uniqueKeysWithValues: texts.map { ($0.moved(to: place), $1) })
        }
        unreadable = moved(unreadable)
        inconsistencies = moved(inconsistencies)
    }
}

extension InstanceRecord {
    fileprivate mutating func move(to place: Int) {
        id = id.moved(to: place)
        head = head.moved(to: place)
        state.armed = Self.moved(state.armed, to: place)
    }

    /// Returns pending items with moved positions of the rows that armed them.
    private static func moved(_ armed: String, to place: Int) -> String {
        guard case .array(let elements)? = try? JSONReader.value(from: armed) else { return armed }
        let moved = elements.map { element -> JSONValue in
            guard var object = element.object, case .int(let position)? = object["position"] else { return element }
            object["position"] = .int(Position(rawValue: position).moved(to: place).rawValue)
            return .object(object)
        }
        return JSONWriter.string(JSONValue.array(moved))
    }
}

@Suite struct PartitionTests {
    /// Returns three partitions with the same contents, of which SQL has changed one.
    private func files(_ sql: String? = nil) async throws -> PartitionedFiles {
        var written: [WrittenFile] = []
        for place in 0..<3 {
            let file = try await WrittenFile()
            if let sql, place == 1 { try file.forge(sql) }
            written.append(file)
        }
        var limits = StoreLimits()
        limits.sliceRows = 50
        let files = try written.map { try SQLiteFile.open(at: $0.path, limits: limits) }
        return PartitionedFiles(files: files, written: written)
    }

    private func findings(_ sql: String? = nil) async throws -> (findings: [String], counts: VerifiedCounts) {
        let store = try await files(sql)
        var limits = EngineLimits()
        limits.verifiedInstances = 2
        let findings = Collected<String>()
        let counts = try await Verification(of: store, limits: limits).run { event in
            if case .inconsistency(let finding) = event { findings.add("\(finding)") }
        }
        for file in store.files { try file.close() }
        return (findings.all, counts)
    }

    @Test func everyPartitionIsVerified() async throws {
        let (findings, counts) = try await findings()
        #expect(findings == [])
        #expect(counts.instances == 15)
        #expect(counts.events == 3 * 318)
        #expect(counts.snapshots == 3)
    }

    @Test func aDifferenceInALaterPartitionIsFound() async throws {
        let found = try await findings("UPDATE journal SET event = 'flop' WHERE position = {order-7/3}")
        #expect(found.findings == ["order-7, seq 3: the digest does not fit what the row says"])
        let stray = try await findings("UPDATE journal SET instance_id = 99 WHERE position = {order-7/3}")
        let (instance, position) = (Int64(1) << 48 + 99, Int64(1) << 48 + 6)
        #expect(
            Set(stray.findings) == [
                "order-7, seq 3: the row is missing",
                "position \(position): the row belongs to an instance \(instance) that is not there",
            ])
        // The instance would be of the partition before: its number lies below all numbers of this one.
        let foreign = try await findings("UPDATE journal SET instance_id = -5 WHERE position = {order-7/3}")
        #expect(
            Set(foreign.findings) == [
                "order-7, seq 3: the row is missing",
                "position \(position): the row belongs to an instance \(Int64(1) << 48 - 5) that is not there",
            ])
    }

    @Test func everyPartitionIsReplayed() async throws {
        let store = try await files()
        var limits = EngineLimits()
        limits.verifiedInstances = 1
        let machine = try DefinitionReader.read(RunningEngine.definition).machine
        let counts = try await Backtest(of: store, with: machine, limits: limits)
            .run(machine: MachineKey("lamp", in: .default), versions: []) { _ in }
        #expect(counts.same == 6)
        #expect(counts.events == 3 * 307)
        for file in store.files { try file.close() }
    }
}
