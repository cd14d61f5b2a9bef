import Statechart
import WorkflowAPI
import WorkflowJSON
import WorkflowStore

/// The text of a stream of server-sent events (WHATWG HTML, 9.2.5), collected before it is sent.
struct StreamText {
    private var writer: JSONWriter

    /// - Parameter count: The expected number of bytes.
    init(capacity count: Int) { writer = JSONWriter(capacity: count) }

    var bytes: [UInt8] { writer.bytes }

    /// Adds a row, with its cursor as the event's id.
    mutating func add(_ listed: LentListedRow, generation: Int64) {
        RowCursor(generation: generation, position: listed.row.position).withBytes { add(listed, cursor: $0) }
    }

    /// Adds a row whose cursors are empty, for `text(_:with:)`.
    mutating func addCursorless(_ listed: LentListedRow) {
        add(listed, cursor: UnsafeBufferPointer(start: nil, count: 0))
    }

    private mutating func add(_ listed: LentListedRow, cursor: UnsafeBufferPointer<UInt8>) {
        writer.frame(Self.id)
        writer.frame(utf8: cursor)
        writer.frame("\nevent: transition\ndata: ")
        writer.object { writer in
            writer.key(plain: "instance")
            writer.string(utf8: listed.instance)
            writer.field("machine", listed.machine.rawValue)
            writer.field("version", listed.version.rawValue)
            listed.row.writeFields(cursor: cursor, to: &writer)
        }
        writer.frame("\n\n")
    }

    private static let id: StaticString = "id: "
    /// The end of a row behind its cursor, which is the last field.
    private static let end: StaticString = "\"}\n\n"

    /// Returns the text of one row that was added without cursors, with a cursor.
    static func text(_ row: [UInt8], with cursor: String) -> [UInt8] {
        // Proof: each row begins and ends as `add` writes it.
        let (head, tail) = (id.utf8CodeUnitCount, row.count - end.utf8CodeUnitCount)
        var text: [UInt8] = []
        text.reserveCapacity(row.count + 2 * cursor.utf8.count)
        text += row[..<head]
        text += cursor.utf8
        text += row[head..<tail]
        text += cursor.utf8
        text += row[tail...]
        return text
    }

    /// Returns a comment with the place up to which everything was sent. A client takes the place as the last id, and
    /// dispatches nothing because there is no data.
    static func comment(_ place: JournalCursor) -> [UInt8] { Array(":\nid: \(place.text)\n\n".utf8) }

    /// The comment that tells the pages of the console of a change that is no row; clients read no comments.
    static let change = Array(": change\n\n".utf8)

    /// Returns the event that ends a stream that has begun.
    static func problem(_ problem: Problem) -> [UInt8] {
        Array("event: \(EventStream.problem)\ndata: \(JSONWriter.string(problem))\n\n".utf8)
    }
}
