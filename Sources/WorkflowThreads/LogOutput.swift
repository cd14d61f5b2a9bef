package import Foundation

/// Writes the lines of a log on a thread of its own, so that no thread waits for whoever reads it.
///
/// Lines that are not written yet are kept in a bounded number of bytes. Beyond, lines are left out and counted. Once
/// the reader goes on, a line tells how many.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
package final class LogOutput: @unchecked Sendable {
    /// Bytes that wait, without the part that is being written.
    package static let bytes = 1 << 20

    private let condition = NSCondition()
    private let descriptor: Int32
    private let bound: Int
    private let telling: @Sendable (_ lost: Int) -> String
    private var waiting: [UInt8] = []
    /// Bytes that were taken to be written, and may be written in part.
    private var isWriting = false
    /// Lines that were left out since this was told last.
    private var untold = 0
    private var lost = 0

    /// Starts the thread, which lasts as long as the process.
    ///
    /// - Parameters:
    ///   - descriptor: Where lines are written; it is used for as long as the process.
    ///   - telling: The line, with its end, that tells how many lines were left out.
    package init(
        to descriptor: Int32, bytes bound: Int = LogOutput.bytes, telling: @escaping @Sendable (_ lost: Int) -> String
    ) {
        self.descriptor = descriptor
        self.bound = bound
        self.telling = telling
        startThread("wfd-log", turns: .short) { self.run() }
    }

    /// Lines that were left out.
    package var linesLost: Int { locked { lost } }

    /// Takes a line, with its end, or leaves it out. Never waits for the reader.
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

    /// Waits until all lines are written, but no longer than a time. False when some are not.
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

    /// All that waits, and a line about those that were left out behind it.
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
                // Whoever shares the descriptor has made it one that does not block.
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&polled, 1, -1)
            } else if errno != EINTR {
                // Nobody reads the log any more; there is nobody to tell.
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
