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
        /// Nil for the writer's own commands.
        let reply: CheckedContinuation<Result<Answer, Rejection>, Never>?
    }

    private let condition = NSCondition()
    private let limits: EngineLimits
    private var entries: [Entry] = []
    private var bytes = 0
    /// The instances that are to go on already: one entry for each is enough.
    private var proceeding: Set<String> = []
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

    /// Puts a command of the writer's own behind all others, one for an instance; no other bound holds, because it
    /// stands for work that is under way. A closed queue drops it: what it stands for is in the store.
    func proceed(_ instance: String) {
        condition.lock()
        defer { condition.unlock() }
        guard closing == nil, proceeding.insert(instance).inserted else { return }
        entries.append(Entry(command: .proceed(instance: instance), reply: nil))
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

    /// All that waits; blocks until there is something. Empty only when the queue is closed and drained.
    func takeAll() -> [Entry] {
        condition.lock()
        defer { condition.unlock() }
        while entries.isEmpty, closing == nil { condition.wait() }
        defer {
            entries = []
            bytes = 0
            proceeding = []
        }
        return entries
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
        case .retry, .proceed: fixed
        case .send(let send): fixed + send.event.name.utf8.count + (send.event.data?.size ?? 0)
        }
    }
}
