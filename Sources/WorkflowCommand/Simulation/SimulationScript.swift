import Statechart
import WorkflowAPI
import WorkflowJSON

/// The lines of a script: JSON objects `{"event": …, "data": …, "after": …}`, or with `done` or `fail` for `event`.
enum SimulationScript {
    /// The largest number of bytes of a script, which is held in memory.
    private static let longest = 64 << 20

    /// Reads a whole script; blank lines are left out.
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

/// A line of a script: some time passes, then an event arrives or an invocation ends.
struct ScriptLine: WireObject {
    /// The input of a line.
    enum Happening {
        case event(String)
        /// The id of an invocation that returns its result.
        case done(String)
        /// The id of an invocation that fails finally.
        case failed(String)
    }

    /// The input; `nil` if only time passes.
    let happening: Happening?
    /// The data of the event, the result or the failure.
    let data: JSONValue?
    /// Milliseconds since the previous line.
    let after: Int64

    init(_ happening: Happening, data: JSONValue? = nil) {
        self.happening = happening
        self.data = data
        after = 0
    }

    init(fields: inout WireFields) throws(WireError) {
        let event: String? = try fields.optional("event")
        let done: String? = try fields.optional("done")
        let failed: String? = try fields.optional("fail")
        let delay: JSONText? = try fields.optional("after")
        after = try delay.map { delay throws(WireError) in try Self.milliseconds(delay.value) } ?? 0
        let given = [event, done, failed].compactMap(\.self)
        guard given.count <= 1 else {
            throw WireError(
                .invalidValue, path: "event", message: "A line has one of the fields 'event', 'done' and 'fail'")
        }
        happening = event.map { .event($0) } ?? done.map { .done($0) } ?? failed.map { .failed($0) }
        data = failed == nil ? try fields.optional("data") : try fields.optional("error")
        if happening == nil, delay == nil {
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
            switch happening {
            case .event(let name): writer.field("event", name)
            case .done(let id): writer.field("done", id)
            case .failed(let id): writer.field("fail", id)
            case nil: break
            }
            if case .failed = happening {
                writer.field("error", ifPresent: data)
            } else {
                writer.field("data", ifPresent: data)
            }
            writer.field("after", after)
        }
    }
}
