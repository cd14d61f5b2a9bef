import Foundation
import ThreadTesting

/// The state of a running program, written by the threads that drain its output and await its end.
///
/// `@unchecked Sendable`: every stored property but `pid` and `condition` is read and written under `condition` only.
final class ProgramState: @unchecked Sendable {
    /// The facts that a waiting test reads.
    struct Facts {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var openStreams = 2
        var end: ProgramEnd?

        var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    let pid: pid_t
    private let condition = NSCondition()
    private var facts = Facts()

    init(pid: pid_t) {
        self.pid = pid
    }

    /// The present facts.
    var current: Facts {
        condition.lock()
        defer { condition.unlock() }
        return facts
    }

    func change(_ body: (inout Facts) -> Void) {
        condition.lock()
        defer { condition.unlock() }
        body(&facts)
        condition.broadcast()
    }

    /// Sends a signal, unless the program has ended: its number may belong to another program by then.
    func signal(_ number: Int32) {
        condition.lock()
        defer { condition.unlock() }
        if facts.end == nil { kill(pid, number) }
    }

    /// Blocks until the program has ended, then removes it from the system's list of processes.
    func awaitEnd() {
        requireOwnThread()
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        condition.lock()
        defer { condition.unlock() }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        facts.end = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)
        condition.broadcast()
    }

    /// Reads a stream of the program to its end.
    func drain(_ descriptor: Int32, into part: WritableKeyPath<Facts, [UInt8]>) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                change { $0[keyPath: part] += buffer[..<count] }
            } else if count == 0 || errno != EINTR {
                break
            }
        }
        close(descriptor)
        change { $0.openStreams -= 1 }
    }

    /// Blocks until a question has an answer. Throws after a time, with a text about the missing answer.
    func wait<Value>(for what: String, within time: Duration, _ question: (Facts) throws -> Value?) throws -> Value {
        requireOwnThread()
        let deadline = Date(timeIntervalSinceNow: time / .seconds(1))
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let value = try question(facts) { return value }
            guard condition.wait(until: deadline) else {
                throw TestingError("\(what) did not happen within \(time); on stderr: \(facts.errorText)")
            }
        }
    }
}
