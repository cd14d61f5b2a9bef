import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// A journal row in the form that callers see and `HistoryItem` reads.
struct HistoryRow: JSONWritable {
    let row: JournalRecord
    let generation: Int64
    /// The states that the row exited and entered; `nil` if the caller did not ask for them.
    let moves: StateMoves?
    let isRetry: Bool

    init(_ row: JournalRecord, generation: Int64, moves: StateMoves? = nil, isRetry: Bool) {
        self.row = row
        self.generation = generation
        self.moves = moves
        self.isRetry = isRetry
    }

    func write(to writer: inout JSONWriter) {
        row.lend(isRetry: isRetry) { row in
            RowCursor(generation: generation, position: row.position).withBytes { cursor in
                writer.object { row.writeFields(cursor: cursor, moves: moves, to: &$0) }
            }
        }
    }
}

extension LentRow {
    /// Writes the fields of the row that callers see.
    ///
    /// The fields are written from the stored text without intermediate values, because streams send many rows.
    func writeFields(cursor: Text, moves: StateMoves? = nil, to writer: inout JSONWriter) {
        writer.key(plain: "seq")
        writer.integer(seq.rawValue)
        writer.key(plain: "at")
        WireTime(milliseconds: at.rawValue).write(to: &writer)
        writer.field("realAt", ifPresent: real.map { WireTime(milliseconds: $0.rawValue) })
        writer.key(plain: "kind")
        writer.quoted(plain: kind)
        writer.key(plain: "event")
        writer.string(utf8: event)
        Self.write(stored: data, as: "data", to: &writer)
        Self.write(leaves: from, as: "from", to: &writer)
        Self.write(leaves: to, as: "to", to: &writer)
        if let actor {
            writer.key(plain: "actor")
            writer.string(utf8: actor)
        }
        if let key { writer.field("key", RequestKey(bytes: Array(key)).text) }
        Self.write(stored: note, as: "note", to: &writer)
        if isRetry { writer.field("retry", true) }
        if isRedacted { writer.field("redacted", true) }
        writer.key(plain: "cursor")
        writer.quoted(plain: cursor)
        writer.field("exited", ifPresent: moves?.exited)
        writer.field("entered", ifPresent: moves?.entered)
    }

    /// Writes stored JSON unchanged, because it is canonical.
    private static func write(stored json: Text?, as name: StaticString, to writer: inout JSONWriter) {
        guard let json else { return }
        writer.key(plain: name)
        writer.raw(utf8: json)
    }

    /// Writes the paths of leaves, which have no character that needs an escape.
    private static func write(leaves text: Text, as name: StaticString, to writer: inout JSONWriter) {
        writer.key(plain: name)
        writer.array { writer in
            var start = 0
            while start < text.count {
                let end = text[start...].firstIndex(of: UInt8(ascii: ",")) ?? text.count
                writer.quoted(plain: UnsafeBufferPointer(rebasing: text[start..<end]))
                start = end + 1
            }
        }
    }
}

/// A page of rows.
struct HistoryPage: JSONWritable {
    var items: [HistoryRow]
    var nextPage: String?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("items", items)
            writer.field("nextPage", ifPresent: nextPage)
        }
    }
}
