import Statechart
import WorkflowAPI
import WorkflowJSON

/// The lines of a script: JSON objects `{"event": …, "data": …, "after": …}`.
enum SimulationScript {
    /// Bytes of a script at most; it is held in memory.
    private static let longest = 64 << 20

    /// Reads a whole script; lines without anything on them are left out.
    static func lines(at path: String, in session: Session) throws -> [ScriptLine] {
        let bytes = try session.environment.files.read(path, limit: longest)
        var lines: [ScriptLine] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            do {
                lines.append(try ScriptLine(line: line))
            } catch {
                throw CommandFailure(.badData, "\(path):\(index + 1): \(error.message)")
            }
        }
        return lines
    }
}

/// One line of a script: some time passes, then an event comes.
struct ScriptLine: WireObject {
    /// Nil where only time passes.
    let event: String?
    let data: JSONValue?
    /// Milliseconds since the line before.
    let after: Int64

    init(event: String) {
        self.event = event
        data = nil
        after = 0
    }

    init(fields: inout WireFields) throws(WireError) {
        event = try fields.optional("event")
        data = try fields.optional("data")
        let delay: JSONText? = try fields.optional("after")
        after = try delay.map { delay throws(WireError) in try Self.milliseconds(delay.value) } ?? 0
        if event == nil, delay == nil {
            throw WireError(.missingField, path: "event", message: "Field 'event' or 'after' is missing")
        }
    }

    private static func milliseconds(_ value: JSONValue) throws(WireError) -> Int64 {
        switch value {
        case .int(let milliseconds) where (0...StepLimits.delay).contains(milliseconds): return milliseconds
        case .string(let text):
            do throws(DelayError) {
                return try DelayText.length(of: text)
            } catch {
                throw WireError(
                    .invalidValue, path: "after", message: "Field 'after' must be a delay: \(error.message)")
            }
        default: break
        }
        throw WireError(
            .invalidValue, path: "after", message: "Field 'after' must be a delay, \(DelayText.rule)")
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("event", ifPresent: event)
            writer.field("data", ifPresent: data)
            writer.field("after", after)
        }
    }
}
