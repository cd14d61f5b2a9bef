import DaemonTesting
import NaiveStatechart
import Statechart
import WorkflowJSON
import WorkflowStore

/// Checks that a file has everything that its clients were told, and is consistent in itself.
struct JournalCheck {
    private let file: JournalFile
    private var machines: [MachineID: Machine] = [:]
    private var places: [Marker: [Place]] = [:]
    private(set) var mistakes: [String] = []

    /// Checks a whole file against everything that was sent to it.
    init(_ path: String, attempts: [Attempt]) throws {
        file = try JournalFile(path)
        for (id, record) in file.machines { machines[id] = try DefinitionReader.read(record.source).machine }
        if file.integrity != "ok" { mistakes.append("integrity_check: \(file.integrity)") }
        let rows = Dictionary(grouping: file.journal, by: \.instanceID)
        // The naive interpreter cannot follow migrations, resets and redactions, and of a deleted instance only a part
        // is left.
        let operated = Set(
            file.journal.filter { [.migrated, .reset, .redacted].contains($0.kind) }.map(\.instanceID)
                + file.instances.filter { $0.status == .purging }.map(\.id))
        for instance in file.instances where !operated.contains(instance.id) {
            try check(instance, rows: rows[instance.id] ?? [])
        }
        let expected = file.instances.reduce(0) {
            $0 + ($1.status == .purging ? rows[$1.id]?.count ?? 0 : Int($1.seq.rawValue))
        }
        if file.journal.count != expected {
            mistakes.append("there are rows of instances that are not there")
        }
        if let last = file.journal.last, file.nextPosition <= last.position.rawValue {
            mistakes.append("position \(file.nextPosition) would be used twice")
        }
        try check(attempts)
    }

    /// Checks that no row is missing, that the chain holds, and that the rows lead to the instance's row.
    ///
    /// The naive interpreter follows the rows: the engine's own fold would agree with every mistake of the step.
    private mutating func check(_ instance: InstanceRecord, rows: [JournalRecord]) throws {
        let name = instance.name
        guard rows.map(\.seq.rawValue) == Array(1...instance.seq.rawValue) else {
            mistakes.append("\(name) has the seqs \(rows.map(\.seq.rawValue)), and is at \(instance.seq.rawValue)")
            return
        }
        guard let machine = machines[instance.machineID], let record = file.machines[instance.machineID],
            rows.allSatisfy({ $0.machineID == instance.machineID })
        else { throw TestingError("\(name) has another machine, or none") }
        var history = try NaiveHistory(of: instance, machine: machine, version: record.version)
        var digests = DigestBuffer()
        var last: JournalRecord?
        let snapshots = Dictionary(
            uniqueKeysWithValues: file.snapshots.filter { $0.instanceID == instance.id }.map { ($0.seq, $0) })
        for row in rows {
            if let mistake = try history.follow(row) {
                mistakes.append("\(name) seq \(row.seq.rawValue): \(mistake)")
                return
            }
            let digest = digests.digest(
                row: row, previous: last?.digest, instance: ChainInstance(instance), machine: ChainMachine(record),
                snapshot: snapshots[row.seq]?.digest)
            if row.digest != digest || row.previous != last?.position {
                mistakes.append("\(name) seq \(row.seq.rawValue): the chain is broken")
            }
            let isDue = row.seq.rawValue % SnapshotRecord.interval == 0
            if let snapshot = snapshots[row.seq], digests.digest(snapshot: snapshot) != snapshot.digest {
                mistakes.append("\(name) seq \(row.seq.rawValue): the snapshot's digest does not fit it")
            }
            if isDue {
                let state = snapshots[row.seq]?.state
                let differences = try state.map { try history.differences(from: $0) } ?? ["there is no snapshot"]
                mistakes += differences.map { "\(name) seq \(row.seq.rawValue): \($0)" }
            }
            last = row
        }
        mistakes += try history.differences(from: instance.state).map { "\(name): \($0)" }
        if history.status != instance.status.rawValue {
            mistakes.append("\(name): it is \(instance.status.rawValue), and its rows lead to \(history.status)")
        }
        if last?.position != instance.head || last?.digest != instance.digest {
            mistakes.append("\(name): its head is not its last row")
        }
    }

    /// The seqs of all instances by name.
    var seqs: [String: Int64] {
        Dictionary(uniqueKeysWithValues: file.instances.map { ($0.name.rawValue, $0.seq.rawValue) })
    }

    /// Completes an attempt without an answer by the facts in the file.
    func settled(_ attempt: Attempt) -> Attempt {
        guard attempt.outcome == .unknown else { return attempt }
        var attempt = attempt
        if let marker = attempt.marker {
            attempt.outcome = places[marker]?.first.map { .accepted($0.seq) } ?? .refused
        } else {
            attempt.outcome = seqs[attempt.instance] == nil ? .refused : .accepted(1)
        }
        return attempt
    }

    /// Checks that each acknowledged event is in the file once, at its reported seq, and that no refused event is.
    private mutating func check(_ attempts: [Attempt]) throws {
        let names = Dictionary(uniqueKeysWithValues: file.instances.map { ($0.id, $0.name.rawValue) })
        for row in file.journal where row.kind == .event || row.kind == .result {
            guard let marker = try Marker(row), let name = names[row.instanceID] else { continue }
            places[marker, default: []].append(Place(instance: name, seq: row.seq.rawValue))
        }
        let started = Set(file.instances.map(\.name.rawValue))
        for attempt in attempts {
            let places = attempt.marker.map { self.places[$0] ?? [] }
            let what = attempt.marker.map { "\($0)" } ?? "the start of \(attempt.instance)"
            switch (attempt.outcome, places) {
            case (.accepted(1), nil) where started.contains(attempt.instance): break
            case (.accepted(let seq), let places?) where places == [Place(instance: attempt.instance, seq: seq)]: break
            case (.taken, let places?) where places.map(\.instance) == [attempt.instance]: break
            case (.refused, []?): break
            case (.refused, nil) where !started.contains(attempt.instance): break
            case (.unknown, nil): break
            case (.unknown, let places?) where places.count <= 1: break
            default: mistakes.append("\(what) was \(attempt.outcome), and is at \(places ?? [])")
            }
        }
    }

    private struct Place: Equatable, CustomStringConvertible {
        let instance: String
        let seq: Int64
        var description: String { "\(instance) seq \(seq)" }
    }
}

extension Marker {
    /// Reads the marker in the data of a row; `nil` if there is none.
    fileprivate init?(_ row: JournalRecord) throws {
        guard let object = try row.data.map({ try JSONReader.value(from: $0) })?.object,
            case .int(let client)? = object["client"], case .int(let number)? = object["number"]
        else { return nil }
        self.init(client: client, number: number)
    }
}
