import DequeModule
import Foundation
package import WorkflowStore

/// The commands that wait for the writer, first in, first out, bounded in number and bytes. Parts of bulk runs, which
/// have no waiting caller, stand behind all other commands.
///
/// `@unchecked Sendable`: every stored property is read and written under `condition` only.
final class CommandQueue: @unchecked Sendable, ResultQueue {
    private let condition = NSCondition()
    private let limits: EngineLimits
    private var entries: [any QueuedCommand] = []
    /// Results of effects and tasks. Results have room of their own, and still arrive while the daemon drains.
    private var results: [any QueuedCommand] = []
    private var resultBytes = 0
    /// Parts of bulk runs. The writer takes one part at a time, so that new commands overtake the other parts.
    private var parts: Deque<Part> = []
    /// The number of results that will still come; the queue waits for them before it ends.
    private var expected = 0
    /// True once the writer was told that no more commands come.
    private var hasEnded = false
    /// The pending clock moves, in order, and the number of entries before each.
    private var clockMoves: [(behind: Int, request: ClockMoveRequest)] = []
    private var bytes = 0
    /// The arrival time of the first command.
    private var firstCame = ContinuousClock.now
    /// The waiting times of the first command, one for each time that commands were taken.
    private var waits = Histogram(Histogram.seconds)
    /// The groups of commands that wait for room, in order.
    private var waiting: [WaitingGroup] = []
    /// The number and the bytes of commands that were taken and must wait on.
    private var held = (commands: 0, bytes: 0)
    /// The meetings that the writer attends next.
    private var invitations: [any LaneInvitation] = []
    /// True if the writer has something else to do.
    private var isAwake = false
    /// The rejection of all further commands; `nil` while the queue is open.
    private var closing: Rejection?

    /// A part of a bulk run.
    private struct Part {
        let command: any QueuedCommand
        /// True if the part may go alone; until then the part waits for commands to go with.
        var isDue: Bool
    }

    init(limits: EngineLimits) {
        self.limits = limits
    }

    /// Queues a command and waits for the writer's answer; a full or closed queue answers at once.
    func submit<Command: WriterCommand>(_ command: Command) async throws(Rejection) -> Command.Answer {
        try await withCheckedContinuation { continuation in
            begin(command) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Queues a command, which the writer answers later; a full or closed queue answers at once.
    func begin<Command: WriterCommand>(
        _ command: Command, _ answered: @escaping @Sendable (Result<Command.Answer, Rejection>) -> Void
    ) {
        let rejection = enqueue([command.queued(.caller(answered))], areResults: Command.isResult)
        if let rejection { answered(.failure(rejection)) }
    }

    /// Queues a part of a bulk run.
    ///
    /// - Parameter isPatient: True if the part waits for commands to go with, until `hurry`.
    func begin<Command: WriterCommand>(
        part command: Command, isPatient: Bool,
        _ answered: @escaping @Sendable (Result<Command.Answer, Rejection>) -> Void
    ) {
        if let rejection = enqueue(Part(command: command.queued(.caller(answered)), isDue: !isPatient)) {
            answered(.failure(rejection))
        }
    }

    /// Lets the waiting parts of bulk runs go alone if no other command comes.
    func hurry() {
        condition.lock()
        defer { condition.unlock() }
        for place in parts.indices { parts[place].isDue = true }
        condition.signal()
    }

    /// Queues commands in order. All answers come together, in the same order, and none is missing. Queues no command
    /// and throws if there is no room for all.
    func begin<Command: WriterCommand>(
        _ commands: [Command], in sequence: CommandSequence?,
        _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) throws(Rejection) {
        if commands.isEmpty { return answered([]) }
        let entries = Self.entries(commands, in: sequence, answered)
        if let rejection = enqueue(entries, areResults: Command.isResult) { throw rejection }
    }

    /// Queues commands in order; if there is no room, the commands wait in front of the queue. Groups of commands wait
    /// in order, no longer than `limits.roomWaiting`. Returns when the commands are in the queue, or early when the
    /// task is cancelled.
    func beginWhenRoom<Command: WriterCommand>(
        _ commands: [Command], in sequence: CommandSequence?,
        _ answered: @escaping @Sendable ([Result<Command.Answer, Rejection>?]) -> Void
    ) async throws(Rejection) {
        if commands.isEmpty { return answered([]) }
        let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let group = WaitingGroup(entries: Self.entries(commands, in: sequence, answered), end: end)
        if let rejection = enqueue(group) { throw rejection }
        // Cancelled when the function returns.
        async let _ = expire(group)
        var iterator = ends.makeAsyncIterator()
        _ = await iterator.next()
        // A cancelled task waits no longer; its commands may have found room at that moment.
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

    /// Asks the writer to move a virtual clock, after the commands that already wait and before later commands.
    ///
    /// - Parameter caller: The caller for whom the move is recorded; `nil` to record nothing.
    func moveClock(
        to target: Timestamp, stoppingAtTasks: Bool, by caller: Caller?
    ) async throws(Rejection) -> ClockMove {
        try await withCheckedContinuation { continuation in
            let request = ClockMoveRequest(target: target, stopsAtTasks: stoppingAtTasks, caller: caller) {
                continuation.resume(returning: $0)
            }
            if let rejection = enqueue(request) { request.answered(.failure(rejection)) }
        }.get()
    }

    /// Makes the blocked or the next `take` return although no command waits.
    func wake() {
        condition.lock()
        defer { condition.unlock() }
        isAwake = true
        condition.signal()
    }

    /// Invites the writer to a meeting with other lanes, which it attends before it takes more commands. Returns the
    /// reason if the queue is closed.
    func invite(to invitation: any LaneInvitation) -> Rejection? {
        condition.lock()
        defer { condition.unlock() }
        if let closing { return closing }
        invitations.append(invitation)
        isAwake = true
        condition.signal()
        return nil
    }

    /// Takes the next meeting.
    func takeInvitation() -> (any LaneInvitation)? {
        condition.lock()
        defer { condition.unlock() }
        return invitations.isEmpty ? nil : invitations.removeFirst()
    }

    /// Announces a result: the queue does not end before the result comes. Returns false if the queue accepts no more
    /// results. Otherwise `resultCame` must follow when the result is in the queue or will not come.
    func expectResult() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        if hasEnded { return false }
        expected += 1
        return true
    }

    /// Settles one announced result, which is in the queue or will not come.
    func resultCame() {
        condition.lock()
        defer { condition.unlock() }
        // An abandoned queue expects no result.
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
        // Each run has only a few parts, so parts take no room from the commands that wait.
        parts.append(part)
        if part.isDue { condition.signal() }
        return nil
    }

    /// Signals the first command, which ends the writer's wait. Called under the lock.
    private func signalIfEmpty() {
        guard entries.isEmpty else { return }
        firstCame = .now
        condition.signal()
    }

    /// The number of waiting commands, and the waiting times of the oldest commands taken.
    var load: (commands: Int, waits: Histogram) {
        condition.lock()
        defer { condition.unlock() }
        return (held.commands + entries.count, waits)
    }

    /// Puts the group into the queue, or behind the groups that wait for room.
    private func enqueue(_ group: WaitingGroup) -> Rejection? {
        condition.lock()
        defer { condition.unlock() }
        if let closing { return closing }
        // The groups that wait may hold as many bytes as the queue. The first group waits whatever its size.
        let ahead = waiting.reduce(0) { $0 + $1.bytes }
        if !waiting.isEmpty, ahead + group.bytes > limits.queuedBytes { return .overloaded }
        waiting.append(group)
        admitWaiting()
        return nil
    }

    /// The number of groups that wait for room.
    var groupsThatWait: Int {
        condition.lock()
        defer { condition.unlock() }
        return waiting.count
    }

    /// Ends the wait of a group for which no room came in time.
    private func expire(_ group: WaitingGroup) async {
        // The sleep ends early when the group has found room.
        try? await Task.sleep(for: limits.roomWaiting)
        _ = giveUp(group)
    }

    /// Ends the wait of a group. Returns why its commands are not in the queue; `nil` if they are.
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

    /// Puts waiting groups into the queue, in order, while there is room. Called under the lock.
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

    /// Returns the reason why the queue cannot take more commands; `nil` if there is room.
    private func refusal(of commands: Int, bytes size: Int) -> Rejection? {
        if let closing { return closing }
        let hasRoom =
            held.commands + entries.count + clockMoves.count + commands <= limits.queuedCommands
            && held.bytes + bytes + size <= limits.queuedBytes
        return hasRoom ? nil : .overloaded
    }

    /// The writer's next action.
    enum Turn {
        /// Carry out commands; the list is empty if the wait ended without a command.
        case commands([any QueuedCommand])
        /// Move a clock; all commands before the move have been taken.
        case moveClock(ClockMoveRequest)
        /// Stop: the queue is closed and drained.
        case end
    }

    /// Takes all waiting commands up to the next clock move, and one part of a bulk run. Blocks until there is a
    /// command, until a moment on the machine's clock, or until `wake`.
    ///
    /// - Parameter date: The end of the wait; `nil` to wait without a limit. The wait ends earlier if the clock is set
    ///   past the date.
    func take(until date: Date?) -> Turn {
        condition.lock()
        defer { condition.unlock() }
        while entries.isEmpty, results.isEmpty, !hasDuePart, clockMoves.isEmpty, closing == nil || expected > 0,
            !isAwake, invitations.isEmpty
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
        if entries.isEmpty, results.isEmpty, parts.isEmpty, closing != nil, expected == 0, invitations.isEmpty {
            hasEnded = true
            return .end
        }
        return .commands(removeAll(with: entries.isEmpty && closing == nil ? .due : .any))
    }

    /// The part of a bulk run that goes with commands.
    enum Companion {
        /// No part.
        case none
        /// The first part that may go alone.
        case due
        /// The first part.
        case any
    }

    /// Removes all commands up to the next clock move, and a part of a bulk run.
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

    /// Removes a part of a bulk run. A clock moves before the next part.
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

    /// Takes the commands that wait now, up to the next clock move, and a part of a bulk run. Does not block.
    func takeWaiting(with companion: Companion = .any) -> [any QueuedCommand] {
        condition.lock()
        defer { condition.unlock() }
        defer { admitWaiting() }
        return removeAll(with: companion)
    }

    /// Counts commands that were taken and must wait on as if they were still in the queue.
    func hold(_ entries: ArraySlice<any QueuedCommand>) {
        let bytes = entries.reduce(0) { $0 + $1.size }
        condition.lock()
        defer { condition.unlock() }
        held = (entries.count, bytes)
        admitWaiting()
    }

    /// Closes the queue: further commands are rejected with the reason. Waiting commands can still be taken, and
    /// results still come.
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

    /// Answers the remaining commands of a closed queue. The queue no longer waits for announced results; a late result
    /// is refused.
    func abandon(with rejection: Rejection) {
        condition.lock()
        expected = 0
        let invitations = invitations
        self.invitations = []
        condition.unlock()
        for invitation in invitations { invitation.decline(rejection) }
        while true {
            switch take(until: nil) {
            case .commands(let rest): for entry in rest { entry.refuse(rejection) }
            case .moveClock(let request): request.answered(.failure(rejection))
            case .end: return
            }
        }
    }
}

/// A meeting of several lanes.
protocol LaneInvitation: AnyObject, Sendable {
    /// Ends the meeting for a reason, unless its work is being committed already.
    func decline(_ reason: Rejection)
}

/// Commands that enter the queue together, once there is room for all.
///
/// `@unchecked Sendable`: `refused` is read and written under the queue's lock only.
private final class WaitingGroup: @unchecked Sendable {
    let entries: [any QueuedCommand]
    let bytes: Int
    /// The reason why the commands will never be in the queue.
    var refused: Rejection?
    /// The signal that the commands wait no longer.
    let end: AsyncStream<Void>.Continuation

    init(entries: [any QueuedCommand], end: AsyncStream<Void>.Continuation) {
        self.entries = entries
        self.end = end
        bytes = entries.reduce(0) { $0 + $1.size }
    }
}

/// A request to move a virtual clock. The writer moves the clock itself, between two batches: no batch holds the
/// request.
struct ClockMoveRequest: Sendable {
    let target: Timestamp
    /// True to stop the clock while a worker could have a task, or has one.
    var stopsAtTasks = false
    /// The caller for whom the move is recorded; `nil` to record nothing.
    var caller: Caller?
    /// The callback for the result; called once.
    let answered: @Sendable (Result<ClockMove, Rejection>) -> Void
}

/// The result of moving a virtual clock.
package struct ClockMove: Sendable, Equatable {
    /// The time that the clock shows now.
    package let now: Timestamp
    /// The number of timers that fired on the way.
    package let fired: Int
    /// True if the clock reached its target; otherwise timers on the way are still to fire.
    package let isDone: Bool
    /// The queues with a ready or leased task, in order, if tasks stop the clock.
    package var tasks: [String] = []
    /// True if the clock waits for work that the daemon does itself.
    var isStopped = false
}
