import JSON
import Statechart
import WorkflowAPI

/// The events of a script: a JSON object a line, `{"event": …, "data": …}`.
enum SimulationScript {
    /// Bytes of a script at most; it is held in memory.
    private static let longest = 64 << 20

    /// Reads a whole script; lines without anything on them are left out.
    static func events(at path: String, in session: Session) throws -> [Event] {
        let bytes = try session.environment.files.read(path, limit: longest)
        var events: [Event] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            do {
                let line = try ScriptLine(body: line)
                events.append(Event(name: line.event, data: line.data))
            } catch {
                throw CommandFailure(.badData, "\(path):\(index + 1): \(error.message)")
            }
        }
        return events
    }
}

/// One line of a script.
private struct ScriptLine: WireObject {
    let event: String
    let data: JSONValue?

    init(fields: inout WireFields) throws(WireError) {
        event = try fields.required("event")
        data = try fields.optional("data")
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("event", event)
            writer.field("data", ifPresent: data)
        }
    }
}
