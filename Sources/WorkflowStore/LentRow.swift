import Statechart

/// A journal row in place: its texts are in the lender's memory.
///
/// A stream reads many rows, and a string for each of their texts is a large part of the cost. A borrower keeps no
/// reference to the row.
package struct LentRow {
    /// UTF-8 bytes.
    package typealias Text = UnsafeBufferPointer<UInt8>

    package var position: Position
    package var instanceID: InstanceID
    package var seq: Seq
    /// The position of the instance's previous row; `nil` for its first.
    package var previous: Position?
    /// The logical time.
    package var at: Timestamp
    /// The clock's time if it differs from `at`.
    package var real: Timestamp?
    /// The raw value of a `JournalKind`.
    package var kind: Text
    package var event: Text
    /// Canonical JSON; `nil` if the event had no data or the row is redacted.
    package var data: Text?
    /// The configurations before and after, as in `JournalRecord`.
    package var from: Text
    package var to: Text
    package var actor: Text?
    /// The bytes of a `RequestKey`.
    package var key: Text?
    /// Canonical JSON.
    package var note: Text?
    package var isRedacted: Bool
    /// True if the row records a failed retry: the instance had failed before.
    package var isRetry: Bool

    package init(
        position: Position, instanceID: InstanceID, seq: Seq, previous: Position?, at: Timestamp, real: Timestamp?,
        kind: Text, event: Text, data: Text?, from: Text, to: Text, actor: Text?, key: Text?, note: Text?,
        isRedacted: Bool, isRetry: Bool
    ) {
        self.position = position
        self.instanceID = instanceID
        self.seq = seq
        self.previous = previous
        self.at = at
        self.real = real
        self.kind = kind
        self.event = event
        self.data = data
        self.from = from
        self.to = to
        self.actor = actor
        self.key = key
        self.note = note
        self.isRedacted = isRedacted
        self.isRetry = isRetry
    }
}

/// A lent row as readers of the journal of all instances see it.
package struct LentListedRow {
    package var row: LentRow
    /// The instance's name.
    package var instance: LentRow.Text
    package var machine: MachineName
    package var version: MachineVersion

    package init(row: LentRow, instance: LentRow.Text, machine: MachineName, version: MachineVersion) {
        self.row = row
        self.instance = instance
        self.machine = machine
        self.version = version
    }
}

// MARK: Lending what was read

extension JournalRecord {
    /// Calls a function with the row.
    package func lend<Result>(isRetry: Bool, _ body: (LentRow) -> Result) -> Result {
        var texts = TextPool()
        let (kind, event, data) = (texts.add(kind.rawValue), texts.add(event), data.map { texts.add($0) })
        let (from, to) = (texts.add(from), texts.add(to))
        let (actor, note) = (actor.map { texts.add($0.rawValue) }, note.map { texts.add($0) })
        let key = key.map { texts.add($0) }
        return texts.bytes.withUnsafeBufferPointer { bytes in
            func text(_ range: Range<Int>) -> LentRow.Text { LentRow.Text(rebasing: bytes[range]) }
            return body(
                LentRow(
                    position: position, instanceID: instanceID, seq: seq, previous: previous, at: at, real: real,
                    kind: text(kind), event: text(event), data: data.map(text), from: text(from), to: text(to),
                    actor: actor.map(text), key: key.map(text), note: note.map(text), isRedacted: isRedacted,
                    isRetry: isRetry))
        }
    }
}

extension ListedRow {
    /// Calls a function with the row.
    package func lend<Result>(_ body: (LentListedRow) -> Result) -> Result {
        row.lend(isRetry: isRetry) { row in
            var name = instance.rawValue
            return name.withUTF8 { instance in
                body(LentListedRow(row: row, instance: instance, machine: machine, version: version))
            }
        }
    }
}

/// The texts of one row, one after another.
private struct TextPool {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(256) }

    mutating func add(_ text: String) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        return start..<bytes.count
    }

    mutating func add(_ text: [UInt8]) -> Range<Int> {
        let start = bytes.count
        bytes.append(contentsOf: text)
        return start..<bytes.count
    }
}
