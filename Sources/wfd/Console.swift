import Foundation
import Logging
import WorkflowTerminal

/// What `wfd` prints, made safe for a terminal: names of files, and text of a database, can have any character.
enum Console {
    /// Prints a result.
    static func say(_ text: String) {
        print(Printable.lines(text))
    }

    /// Tells what is no result.
    static func tell(_ text: String) {
        FileHandle.standardError.write(Data((Printable.lines(text) + "\n").utf8))
    }
}

/// The log: what swift-log's handler writes, with the values of fields in quotes where they have blanks.
struct LineLog: LogHandler {
    private var lines: StreamLogHandler

    init(label: String, level: Logger.Level) {
        lines = StreamLogHandler(label: label, stream: LogStream())
        lines.logLevel = level
    }

    var logLevel: Logger.Level {
        get { lines.logLevel }
        set { lines.logLevel = newValue }
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

/// Standard error for the log: a record is a line, whatever it tells of.
struct LogStream: TextOutputStream, Sendable {
    mutating func write(_ record: String) {
        let line = record.hasSuffix("\n") ? record.dropLast() : Substring(record)
        var rest = Array((Printable.text(String(line)) + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                // Nobody reads the log any more; there is nobody to tell.
                return
            }
        }
    }
}
