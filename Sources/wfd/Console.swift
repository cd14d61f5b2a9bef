import Foundation
import Terminal

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
