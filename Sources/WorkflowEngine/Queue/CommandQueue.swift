import DequeModule
import Foundation
package import WorkflowStore

/// The commands that wait for the writer, first in, first out, bounded in number and bytes. Parts of runs, for which
/// nobody waits, stand behind all others.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
final class CommandQueue: @unchecked Sendable, ResultQueue {
    private let condition = NSCondition()
    private let limits: EngineLimits
    private var entries: [any QueuedCommand] = []
    /// Ends of what was begun, beside the others: they have room of their own, and come while the daemon drains.
    private var results: [any QueuedCommand] = []
    private var resultBytes = 0
    /// Parts of runs. The writer gets one at a time, so that what comes meanwhile overtakes the others.
    private var parts: Deque<Part> = []
    /// Ends that will come: the queue waits for them.
    private var expected = 0
    /// Whether the writer was told that no more comes.
    private var hasEnded = false
    /// Clocks to move, in their order, and the number of entries before each.
    private var clockMoves: [(behind: Int, request: ClockMoveRequest)] = []
    private var bytes = 0
    /// When the first of the commands came.
    private var firstCame = ContinuousClock.now
    /// How long that waited, for each time that some were taken.
    private var waits = Histogram(Histogram.seconds)
    /// Commands that wait for room, in their order.
    private var waiting: [WaitingGroup] = []
    /// Commands that were taken and have to wait on, and their bytes.
    private var held = (commands: 0, bytes: 0)
    /// The writer has something else to do.
    private var isAwake = false
    /// What callers are told from now on; nil while the queue is open.
    private var closing: Rejection?

    /// A part of a run.
    private struct Part {
        let command: any QueuedCommand
        /// Whether it goes alone; until then it waits for others to go with.
        var isDue: Bool
    }

    init(limits: EngineLimits) {
        self.limits = limits
    }

    /// Puts a command into the queue and waits for the writer's answer; a full or closed queue answers at once.
    func submit<Command: WriterCommand>(_ command: Command) async throws(Rejection) -> Command.Answer {
        try await withCheckedContinuation { continuation in
            begin(command) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Puts a command into the queue. The writer answers it; a full or closed queue answers at once.
    func begin<Command: WriterCommand>(
        _ command: Command, _ answered: @escaping @Sendable (Result<Command.Answer, Rejection>) -> Void
    ) {
        let rejection = enqueue([command.queued(.caller(answered))], areResults: Command.isResult)
        if let rejection { answered(.failure(rejection)) }
    }

    /// Puts a part of a run into the queue.
    ///
    /// - Parameter isPatient: Whether it waits for others to go with, until `hurry`.
    func begin<Command: WriterCommand>(
        part command: Command, isPatient: Bool,
        _ answered: @escaping @Sendable (Result<Command.Answer, Rejection>) -> Void
    ) {
        if let rejection = enqueue(Part(command: command.queued(.caller(answered)), isDue: !isPatient)) {
            answered(.failure(rejection))
        }
    }

    /// The parts of runs that wait go alone when nothing else comes.
    func hurry() {
        condition.lock()
        defer { condition.unlock() }
        for place in parts.indices { parts[place].isDue = true }
        condition.signal()
    }

    /// Puts commands into the queue, one behind the other. All answers come together, in the same order, and
    /// none is missing. When there is no room for all commands none is taken, and that is thrown.
    func begin<Command: WriterCommand>(
        _ commands: [Command], in sequence: CommandSequence?,
        _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) throws(Rejection) {
        if commands.isEmpty { return answered([]) }
        let entries = Self.entries(commands, in: sequence, answered)
        if let rejection = enqueue(entries, areResults: Command.isResult) { throw rejection }
    }

    /// The same, but when there is no room the commands wait for it: in front of the queue, in their order, and no
    /// longer than `limits.roomWaiting`. Returns when they are in the queue. Ends early when the task is cancelled.
    func beginWhenRoom<Command: WriterCommand>(
        _ commands: [Command], in sequence: CommandSequence?,
        _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) async throws(Rejection) {
        if commands.isEmpty { return answered([]) }
        let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let group = WaitingGroup(entries: Self.entries(commands, in: sequence, answered), end: end)
        if let rejection = enqueue(group) { throw rejection }
        // Cancelled when this returns.
        async let _ = expire(group)
        var iterator = ends.makeAsyncIterator()
        _ = await iterator.next()
        // A task that was cancelled waits no more; the commands may have found room in that moment.
        if let rejection = giveUp(group) { throw rejection }
    }

    private static func entries<Command: WriterCommand>(
        _ commands: [Command], in sequence: CommandSequence?,
        _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) -> [any QueuedCommand] {
        let answers = AnswerCollection<Command.Answer>(count: commands.count, in: sequence, answered)
        // Commands are large: pairs of offset and command would be two more copies of each.
        return commands.indices.map { commands[$0].queued(.collection(answers, $0)) }
    }

    /// Lets the writer move a virtual clock, after the commands that wait already and before those that come later.
    func moveClock(to target: Timestamp, stoppingAtTasks: Bool) async throws(Rejection) -> ClockMove {
        try await withCheckedContinuation { continuation in
            let request = ClockMoveRequest(target: target, stopsAtTasks: stoppingAtTasks) {
                continuation.resume(returning: $0)
            }
            if let rejection = enqueue(request) { request.answered(.failure(rejection)) }
        }.get()
    }

    /// Lets the next `take` return, or the one that blocks, although nothing waits.
    func wake() {
        condition.lock()
        defer { condition.unlock() }
        isAwake = true
        condition.signal()
    }

    /// Something was begun whose end comes as a result: the queue does not end before. False when it takes none any
    /// more; otherwise `resultCame` follows, when the result is in the queue or will not come.
    func expectResult() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if hasEnded { return false }
        expected += 1
        return true
    }

    /// What was expected is in the queue, or will not come.
    func resultCame() {
        condition.lock()
        defer { condition.unlock() }
        // None is expected of a queue that was abandoned.
        expected = max(0, expected - 1)
        condition.signal()
    }

    private func enqueue(_ new: [any QueuedCommand], areResults: Bool) -> Rejection? {
        let size = new.reduce(0) { $0 + $1.size }
        condition.lock()
        defer { condition.unlock() }
        if areResults {
            if hasEnded { return closing }
            guard results.count + new.count <= limits.queuedResults, resultBytes + size <= limits.queuedResultBytes
            else { return .overloaded }
            if results.isEmpty { condition.signal() }
            results += new
            resultBytes += size
            return nil
        }
        if let rejection = refusal(of: new.count, bytes: size) { return rejection }
        signalIfEmpty()
        entries += new
        bytes += size
        return nil
    }

    private func enqueue(_ part: Part) -> Rejection? {
        condition.lock()
        defer { condition.unlock() }
        if let closing { return closing }
        // Each run has a few at most, and takes no room of those that wait.
        parts.append(part)
        if part.isDue { condition.signal() }
        return nil
    }

    /// The first command ends the writer's waiting. Under the lock.
    private func signalIfEmpty() {
        guard entries.isEmpty else { return }
        firstCame = .now
        condition.signal()
    }

    /// Commands that wait, and how long the oldest of those that were taken together had waited.
    var load: (commands: Int, waits: Histogram) {
        condition.lock()
        defer { condition.unlock() }
        return (held.commands + entries.count, waits)
    }

    /// Puts the group into the queue, or behind those that wait for room.
    private func enqueue(_ group: WaitingGroup) -> Rejection? {
        condition.lock()
        defer { condition.unlock() }
        if let closing { return closing }
        // As much may wait for room as there is room for; the first group waits whatever it has.
        let ahead = waiting.reduce(0) { $0 + $1.bytes }
        if !waiting.isEmpty, ahead + group.bytes > limits.queuedBytes { return .overloaded }
        waiting.append(group)
        admitWaiting()
        return nil
    }

    /// Groups of commands that wait for room.
    var groupsThatWait: Int {
        condition.lock()
        defer { condition.unlock() }
        return waiting.count
    }

    /// Ends the waiting of a group for which no room came in time.
    private func expire(_ group: WaitingGroup) async {
        // Ends early when the group has found room.
        try? await Task.sleep(for: limits.roomWaiting)
        _ = giveUp(group)
    }

    /// Lets a group wait no more; gives why its commands are not in the queue, nil when they are.
    private func giveUp(_ group: WaitingGroup) -> Rejection? {
        condition.lock()
        defer { condition.unlock() }
        if let index = waiting.firstIndex(where: { $0 === group }) {
            waiting.remove(at: index)
            group.refused = .overloaded
            group.end.yield()
        }
        return group.refused
    }

    /// Puts groups that wait into the queue, in their order, as long as there is room. Under the lock.
    private func admitWaiting() {
        while let group = waiting.first, refusal(of: group.entries.count, bytes: group.bytes) == nil {
            waiting.removeFirst()
            signalIfEmpty()
            entries += group.entries
            bytes += group.bytes
            // Resumes a task on its executor, and runs nothing here.
            group.end.yield()
        }
    }

    func enqueue(_ request: ClockMoveRequest) -> Rejection? {
        condition.lock()
        defer { condition.unlock() }
        if let rejection = refusal(of: 1, bytes: 0) { return rejection }
        clockMoves.append((entries.count, request))
        condition.signal()
        return nil
    }

    /// Why so much more is not taken; nil when it is.
    private func refusal(of commands: Int, bytes size: Int) -> Rejection? {
        if let closing { return closing }
        let hasRoom =
            held.commands + entries.count + clockMoves.count + commands <= limits.queuedCommands
            && held.bytes + bytes + size <= limits.queuedBytes
        return hasRoom ? nil : .overloaded
    }

    /// What the writer is to do.
    enum Turn {
        /// Commands to carry out; none when the time came.
        case commands([any QueuedCommand])
        /// A clock to move; what came before it was given out.
        case moveClock(ClockMoveRequest)
        /// The queue is closed and drained.
        case end
    }

    /// All that waits, up to the next move of a clock, and one part of a run. Blocks until there is something, until a
    /// moment on the machine's clock, or until it is woken.
    ///
    /// - Parameter date: Nil to wait as long as it takes. The wait ends earlier when the clock is set past it.
    func take(until date: Date?) -> Turn {
        condition.lock()
        defer { condition.unlock() }
        while entries.isEmpty, results.isEmpty, !hasDuePart, clockMoves.isEmpty, closing == nil || expected > 0,
            !isAwake
        {
            guard let date else {
                condition.wait()
                continue
            }
            guard condition.wait(until: date) else { break }
        }
        isAwake = false
        defer { admitWaiting() }
        if clockMoves.first?.behind == 0 { return .moveClock(clockMoves.removeFirst().request) }
        if entries.isEmpty, results.isEmpty, parts.isEmpty, closing != nil, expected == 0 {
            hasEnded = true
            return .end
        }
        return .commands(removeAll(with: entries.isEmpty && closing == nil ? .due : .any))
    }

    /// Which part of a run goes with commands.
    enum Companion {
        /// None.
        case none
        /// The first that goes alone.
        case due
        /// The first.
        case any
    }

    /// All commands up to the next move of a clock, and a part of a run.
    private func removeAll(with companion: Companion) -> [any QueuedCommand] {
        if !entries.isEmpty {
            let now = ContinuousClock.now
            waits.add(now - firstCame)
            firstCame = now
        }
        defer {
            results = []
            resultBytes = 0
        }
        guard let count = clockMoves.first?.behind else {
            defer {
                entries = []
                bytes = 0
            }
            let part = removePart(companion)
            return results.isEmpty && part.isEmpty ? entries : entries + results + part
        }
        let taken = Array(entries.prefix(count))
        entries.removeFirst(count)
        bytes -= taken.reduce(0) { $0 + $1.size }
        for index in clockMoves.indices { clockMoves[index].behind -= count }
        return taken + results + removePart(companion)
    }

    private var hasDuePart: Bool { parts.contains(where: \.isDue) }

    /// A clock is moved before the next part.
    private func removePart(_ companion: Companion) -> [any QueuedCommand] {
        guard clockMoves.isEmpty else { return [] }
        let place: Int? =
            switch companion {
            case .none: nil
            case .due: parts.firstIndex(where: \.isDue)
            case .any: parts.isEmpty ? nil : parts.startIndex
            }
        return place.map { [parts.remove(at: $0).command] } ?? []
    }

    /// What waits at this moment, up to the next move of a clock, and a part of a run; does not block.
    func takeWaiting(with companion: Companion = .any) -> [any QueuedCommand] {
        condition.lock()
        defer { condition.unlock() }
        defer { admitWaiting() }
        return removeAll(with: companion)
    }

    /// Counts commands that were taken, and have to wait on, as if they were here.
    func hold(_ entries: ArraySlice<any QueuedCommand>) {
        let bytes = entries.reduce(0) { $0 + $1.size }
        condition.lock()
        defer { condition.unlock() }
        held = (entries.count, bytes)
        admitWaiting()
    }

    /// Takes no more commands: callers are told why. What waits already stays to be taken, and results still come.
    func close(_ reason: Rejection) {
        condition.lock()
        defer { condition.unlock() }
        if closing == nil { closing = reason }
        for group in waiting {
            group.refused = closing
            group.end.yield()
        }
        waiting = []
        condition.signal()
    }

    /// Answers what a closed queue still has. Nobody waits for what is expected: it is refused when it comes.
    func abandon(with rejection: Rejection) {
        condition.lock()
        expected = 0
        condition.unlock()
        while true {
            switch take(until: nil) {
            case .commands(let rest): for entry in rest { entry.refuse(rejection) }
            case .moveClock(let request): request.answered(.failure(rejection))
            case .end: return
            }
        }
    }
}

/// Commands that are put into the queue together, once there is room for all.
///
/// `@unchecked Sendable`: `refused` is read and written under the queue's lock only.
private final class WaitingGroup: @unchecked Sendable {
    let entries: [any QueuedCommand]
    let bytes: Int
    /// Why they never will be in the queue.
    var refused: Rejection?
    /// Told when they wait no more.
    let end: AsyncStream<Void>.Continuation

    init(entries: [any QueuedCommand], end: AsyncStream<Void>.Continuation) {
        self.entries = entries
        self.end = end
        bytes = entries.reduce(0) { $0 + $1.size }
    }
}

/// A virtual clock that somebody wants moved. The writer does that itself, between two batches: no batch holds it.
struct ClockMoveRequest: Sendable {
    let target: Timestamp
    /// True to stop the clock while a worker could have a task, or has one.
    var stopsAtTasks = false
    /// Called once.
    let answered: @Sendable (Result<ClockMove, Rejection>) -> Void
}

/// How far a virtual clock was moved.
package struct ClockMove: Sendable, Equatable {
    /// What it shows now.
    package let now: Timestamp
    /// Timers that fired on the way.
    package let fired: Int
    /// Whether it is where it was to go; there are timers to fire on the way when it is not.
    package let isDone: Bool
    /// The queues in which a task is ready or leased, in their order, when they stop the clock.
    package var tasks: [String] = []
    /// Whether it waits for what the daemon does itself.
    var isStopped = false
}
