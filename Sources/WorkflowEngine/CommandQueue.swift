import Foundation
import JSON
import Statechart
import Synchronization

/// The commands that wait for the writer, first in, first out, bounded in number and bytes.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
final class CommandQueue: @unchecked Sendable {
    /// A command, and where its answer goes. A class, because it is moved often.
    final class Entry: Sendable {
        let command: Command
        private let destination: Destination

        fileprivate init(_ command: Command, _ destination: Destination) {
            self.command = command
            self.destination = destination
        }

        /// Answers; to be called once.
        func reply(_ answer: Result<Answer, Rejection>) {
            switch destination {
            case .caller(let answered): answered(answer)
            case .collection(let answers, let offset): answers.set(answer, at: offset)
            }
        }
    }

    fileprivate enum Destination: Sendable {
        case caller(@Sendable (Result<Answer, Rejection>) -> Void)
        case collection(AnswerCollection, Int)
    }

    private let condition = NSCondition()
    private let limits: EngineLimits
    private var entries: [Entry] = []
    private var bytes = 0
    /// Commands that were taken and have to wait on, and their bytes.
    private var held = (commands: 0, bytes: 0)
    /// The writer has something else to do.
    private var isAwake = false
    /// What callers are told from now on; nil while the queue is open.
    private var closing: Rejection?

    init(limits: EngineLimits) {
        self.limits = limits
    }

    /// Puts a command into the queue and waits for the writer's answer; a full or closed queue answers at once.
    func submit(_ command: Command) async -> Result<Answer, Rejection> {
        await withCheckedContinuation { continuation in
            begin(command) { continuation.resume(returning: $0) }
        }
    }

    /// Puts a command into the queue. The writer answers it; a full or closed queue answers at once.
    func begin(_ command: Command, _ answered: @escaping @Sendable (Result<Answer, Rejection>) -> Void) {
        if let rejection = enqueue([Entry(command, .caller(answered))]) { answered(.failure(rejection)) }
    }

    /// Puts commands into the queue, one behind the other. All answers come together, in the same order, and
    /// none is missing. When there is no room for all commands none is taken, and that is thrown.
    func begin(
        _ commands: [Command], _ answered: @escaping @Sendable ([Result<Answer, Rejection>?]) -> Void
    ) throws(Rejection) {
        if commands.isEmpty { return answered([]) }
        let answers = AnswerCollection(count: commands.count, answered)
        let entries = commands.enumerated().map { offset, command in
            Entry(command, .collection(answers, offset))
        }
        if let rejection = enqueue(entries) { throw rejection }
    }

    /// Lets the next `takeAll` return, or the one that blocks, although nothing waits.
    func wake() {
        condition.lock()
        defer { condition.unlock() }
        isAwake = true
        condition.signal()
    }

    private func enqueue(_ new: [Entry]) -> Rejection? {
        let size = new.reduce(0) { $0 + $1.command.size }
        condition.lock()
        defer { condition.unlock() }
        if let closing { return closing }
        guard held.commands + entries.count + new.count <= limits.queuedCommands,
            held.bytes + bytes + size <= limits.queuedBytes
        else {
            return .overloaded
        }
        if entries.isEmpty { condition.signal() }
        entries += new
        bytes += size
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
        return .commands(removeAll())
    }

    private func removeAll() -> [Entry] {
        defer {
            entries = []
            bytes = 0
        }
        return entries
    }

    /// What waits at this moment; does not block.
    func takeWaiting() -> [Entry] {
        condition.lock()
        defer { condition.unlock() }
        return removeAll()
    }

    /// Counts commands that were taken, and have to wait on, as if they were here.
    func hold(_ entries: some Collection<Entry>) {
        let bytes = entries.reduce(0) { $0 + $1.command.size }
        condition.lock()
        defer { condition.unlock() }
        held = (entries.count, bytes)
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
        case .send(let send): send.size
        case .sendTogether(let sends): sends.reduce(fixed) { $0 + $1.size }
        }
    }
}

extension SendCommand {
    fileprivate var size: Int { 256 + event.name.utf8.count + (event.data?.size ?? 0) }
}

/// Collects the answers to commands that were sent together.
private final class AnswerCollection: Sendable {
    private let state: Mutex<(answers: [Result<Answer, Rejection>?], missing: Int)>
    private let whole: @Sendable ([Result<Answer, Rejection>?]) -> Void

    init(count: Int, _ whole: @escaping @Sendable ([Result<Answer, Rejection>?]) -> Void) {
        state = Mutex((Array(repeating: nil, count: count), count))
        self.whole = whole
    }

    func set(_ answer: Result<Answer, Rejection>, at offset: Int) {
        let answers = state.withLock { state in
            state.answers[offset] = answer
            state.missing -= 1
            guard state.missing == 0 else { return nil as [Result<Answer, Rejection>?]? }
            // They go to who waits; nothing of them is left for the writer to clean up.
            defer { state.answers = [] }
            return state.answers
        }
        if let answers { whole(answers) }
    }
}
