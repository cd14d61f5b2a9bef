import Foundation
import Logging
import Synchronization
import WorkflowTerminal
import WorkflowThreads

/// The log of the daemon, on standard error. A logging thread never waits for the log's reader.
enum DaemonLog {
    /// The time that the daemon waits at its end for its last lines to be written.
    private static let patience: TimeInterval = 1

    /// The level from which on lines are logged.
    static let level = LiveLevel()

    /// Sets the output of all loggers; call `begin` once.
    static func begin() -> LogOutput {
        let output = LogOutput(to: STDERR_FILENO) { lost in
            let line = CollectedLine()
            var log = LineLog(label: "wfd", to: line)
            log[metadataKey: "lines"] = "\(lost)"
            log.log(
                event: LogEvent(
                    level: .warning, message: "lines were not logged, because nobody read the log", metadata: nil,
                    source: "wfd", file: #fileID, function: #function, line: #line))
            return line.text
        }
        LoggingSystem.bootstrap { LineLog(label: $0, to: LogStream(output: output)) }
        return output
    }

    /// Writes the remaining lines, as far as a reader accepts them.
    static func end(_ output: LogOutput) {
        // A loss at this point cannot be reported.
        _ = output.flush(within: patience)
    }
}

/// The handler of the log: swift-log's output, with quotes around field values that contain blanks.
private struct LineLog: LogHandler {
    private var lines: StreamLogHandler
    /// The lowest level that this logger may log, unless the daemon's level is `trace`.
    private var bound = Logger.Level.trace

    init(label: String, to stream: some TextOutputStream & Sendable) {
        lines = StreamLogHandler(label: label, stream: stream)
        lines.logLevel = .trace
    }

    var logLevel: Logger.Level {
        get {
            let level = DaemonLog.level.current
            return level == .trace ? level : max(level, bound)
        }
        set { bound = newValue }
    }

    var metadata: Logger.Metadata {
        get { lines.metadata }
        set { lines.metadata = newValue.mapValues(Self.quoted) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { lines[metadataKey: key] }
        set { lines[metadataKey: key] = newValue.map(Self.quoted) }
    }

    func log(event: LogEvent) {
        var event = event
        var metadata = event.metadata ?? [:]
        if let error = event.error { metadata["error"] = "\(error)" }
        event.error = nil
        event.metadata = metadata.mapValues(Self.quoted)
        lines.log(event: event)
    }

    private static func quoted(_ value: Logger.MetadataValue) -> Logger.MetadataValue {
        .string(Printable.logValue("\(value)"))
    }
}

/// A level that can be changed while the daemon runs.
final class LiveLevel: Sendable {
    private static let levels = Logger.Level.allCases
    private let place = Atomic(0)

    /// The level; `trace` at first.
    var current: Logger.Level { Self.levels[place.load(ordering: .relaxed)] }

    func set(_ level: Logger.Level) {
        place.store(Self.levels.firstIndex(of: level) ?? 0, ordering: .relaxed)
    }
}

/// Writes each record of the log as one line, whatever its text contains.
private struct LogStream: TextOutputStream, Sendable {
    let output: LogOutput

    mutating func write(_ record: String) {
        let line = record.hasSuffix("\n") ? record.dropLast() : Substring(record)
        output.write(Array((Printable.text(String(line)) + "\n").utf8))
    }
}

/// Collects the written text.
private final class CollectedLine: TextOutputStream, Sendable {
    private let written = Mutex("")

    var text: String { written.withLock { $0 } }

    func write(_ record: String) { written.withLock { $0 += record } }
}
