package import Foundation

/// Writes the lines of a log on a thread of its own, so that no thread waits for the log's reader.
///
/// Unwritten lines are kept in a bounded number of bytes. Lines beyond the bound are dropped and counted. When the
/// reader continues, a line reports the number of dropped lines.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
package final class LogOutput: @unchecked Sendable {
    /// The largest number of waiting bytes, without the part that is being written.
    package static let bytes = 1 << 20

    private let condition = NSCondition()
    private let descriptor: Int32
    private let bound: Int
    private let telling: @Sendable (_ lost: Int) -> String
    private var waiting: [UInt8] = []
    /// True if bytes were taken for writing; they may be written in part.
    private var isWriting = false
    /// The number of dropped lines since the last report.
    private var untold = 0
    private var lost = 0

    /// Starts the thread, which lasts as long as the process.
    ///
    /// - Parameters:
    ///   - descriptor: The file descriptor for the lines; used for as long as the process lasts.
    ///   - telling: Returns the line, with its end, that reports the number of dropped lines.
    package init(
        to descriptor: Int32, bytes bound: Int = LogOutput.bytes, telling: @escaping @Sendable (_ lost: Int) -> String
    ) {
        self.descriptor = descriptor
        self.bound = bound
        self.telling = telling
        startThread("wfd-log", turns: .short) { self.run() }
    }

    /// The number of dropped lines.
    package var linesLost: Int { locked { lost } }

    /// Accepts a line, with its end, or drops it. Never waits for the reader.
    package func write(_ line: [UInt8]) {
        locked {
            guard waiting.count + line.count <= bound else {
                untold += 1
                lost += 1
                return
            }
            waiting += line
            condition.broadcast()
        }
    }

    /// Waits until all lines are written, for at most `time`. Returns false if some are not written.
    package func flush(within time: TimeInterval) -> Bool {
        let deadline = Date(timeIntervalSinceNow: time)
        return locked {
            while !waiting.isEmpty || isWriting || untold > 0 {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }

    private func run() {
        while true { write(all: next()) }
    }

    /// Returns all waiting bytes, followed by a line about the dropped ones.
    private func next() -> [UInt8] {
        locked {
            isWriting = false
            condition.broadcast()
            while waiting.isEmpty, untold == 0 { condition.wait() }
            isWriting = true
            defer { (waiting, untold) = ([], 0) }
            return untold == 0 ? waiting : waiting + telling(untold).utf8
        }
    }

    private func write(all bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process that shares the descriptor has made it non-blocking.
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&polled, 1, -1)
            } else if errno != EINTR {
                // Nobody reads the log any more, so there is no one to report to.
                return
            }
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }
}
