import Foundation
import JSON
import Statechart

/// The commands that wait for the writer, first in, first out, bounded in number and bytes.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
final class CommandQueue: @unchecked Sendable {
    /// A command, and where its answer goes.
    struct Entry {
        let command: Command
        let reply: CheckedContinuation<Result<Answer, Rejection>, Never>
    }

    private let condition = NSCondition()
    private let limits: EngineLimits
    private var entries: [Entry] = []
    private var bytes = 0
    private var isAwake = false
    /// What callers are told from now on; nil while the queue is open.
    private var closing: Rejection?

    init(limits: EngineLimits) {
        self.limits = limits
    }

    /// Puts a command into the queue and waits for the writer's answer; a full or closed queue answers at once.
    func submit(_ command: Command) async -> Result<Answer, Rejection> {
        await withCheckedContinuation { reply in
            if let rejection = enqueue(Entry(command: command, reply: reply)) {
                reply.resume(returning: .failure(rejection))
            }
        }
    }

    /// Wakes the writer, because a clock was moved.
    func wake() {
        condition.lock()
        defer { condition.unlock() }
        isAwake = true
        condition.signal()
    }

    private func enqueue(_ entry: Entry) -> Rejection? {
        condition.lock()
        defer { condition.unlock() }
        if let closing { return closing }
        let size = entry.command.size
        guard entries.count < limits.queuedCommands, bytes + size <= limits.queuedBytes else { return .overloaded }
        entries.append(entry)
        bytes += size
        if entries.count == 1 { condition.signal() }
        return nil
    }

    /// What the writer is to do.
    enum Turn {
        /// Commands to carry out; none when the time came.
        case commands([Entry])
        /// The queue is closed and drained.
        case end
    }

    /// All that waits. Blocks until there is something, until a moment on the machine's clock, or until it is woken.
    ///
    /// - Parameter date: Nil to wait as long as it takes. The wait ends earlier when the clock is set past it.
    func takeAll(until date: Date?) -> Turn {
        condition.lock()
        defer { condition.unlock() }
        while entries.isEmpty, closing == nil, !isAwake {
            guard let date else {
                condition.wait()
                continue
            }
            guard condition.wait(until: date) else { break }
        }
        isAwake = false
        if entries.isEmpty, closing != nil { return .end }
        defer {
            entries = []
            bytes = 0
        }
        return .commands(entries)
    }

    /// Takes no more commands: callers are told why. What waits already stays to be taken.
    func close(_ reason: Rejection) {
        condition.lock()
        defer { condition.unlock() }
        if closing == nil { closing = reason }
        condition.signal()
    }
}

extension Command {
    /// Roughly the bytes that the command holds in memory while it waits.
    var size: Int {
        let fixed = 256
        return switch self {
        case .apply(let apply): fixed + apply.source.utf8.count
        case .start(let start): fixed + start.data.members.reduce(0) { $0 + $1.key.utf8.count + $1.value.size }
        case .retry, .moveClock: fixed
        case .send(let send): fixed + send.event.name.utf8.count + (send.event.data?.size ?? 0)
        }
    }
}
