import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// A journal row as callers see it: what `HistoryItem` reads.
///
/// It is written from what is stored, without a value for each part between: streams tell many.
struct HistoryRow: JSONWritable {
    let row: JournalRecord
    /// The row's cursor.
    let cursor: [UInt8]
    /// Nil where nobody asked for it.
    let moves: StateMoves?
    let isRetry: Bool

    init(_ row: JournalRecord, generation: Int64, moves: StateMoves? = nil, isRetry: Bool) {
        self.row = row
        self.moves = moves
        self.isRetry = isRetry
        cursor = RowCursor(generation: generation, position: row.position).bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writeFields(to: &$0) }
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("seq", row.seq.rawValue)
        writer.field("at", WireTime(milliseconds: row.at.rawValue))
        writer.field("realAt", ifPresent: row.real.map { WireTime(milliseconds: $0.rawValue) })
        writer.field("kind", row.kind.rawValue)
        writer.field("event", row.event)
        Self.write(stored: row.data, as: "data", to: &writer)
        Self.write(leaves: row.from, as: "from", to: &writer)
        Self.write(leaves: row.to, as: "to", to: &writer)
        writer.field("actor", ifPresent: row.actor?.rawValue)
        writer.field("key", ifPresent: row.key.map { RequestKey(bytes: $0).text })
        Self.write(stored: row.note, as: "note", to: &writer)
        if isRetry { writer.field("retry", true) }
        if row.isRedacted { writer.field("redacted", true) }
        writer.key("cursor")
        cursor.withUnsafeBufferPointer { writer.quoted(plain: $0) }
        writer.field("exited", ifPresent: moves?.exited)
        writer.field("entered", ifPresent: moves?.entered)
    }

    /// What is stored is canonical JSON.
    private static func write(stored json: String?, as name: String, to writer: inout JSONWriter) {
        guard let json else { return }
        writer.key(name)
        writer.raw(json)
    }

    /// The paths of leaves have no character that needs an escape.
    private static func write(leaves text: String, as name: String, to writer: inout JSONWriter) {
        writer.key(name)
        writer.array { writer in
            var text = text
            text.withUTF8 { bytes in
                var start = 0
                while start < bytes.count {
                    let end = bytes[start...].firstIndex(of: UInt8(ascii: ",")) ?? bytes.count
                    writer.quoted(plain: UnsafeBufferPointer(rebasing: bytes[start..<end]))
                    start = end + 1
                }
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
