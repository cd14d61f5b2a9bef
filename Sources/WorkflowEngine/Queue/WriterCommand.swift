import Synchronization
import WorkflowStore

/// A subject that commands name.
enum CommandTarget: Hashable, Sendable {
    case instance(InstanceKey)
    case machine(MachineKey)
    /// The instance of a result, of which only the number is known.
    case owner(InstanceID)
}

/// A request to the writer. The writer applies commands in memory in batches, and answers each when its batch is on
/// disk.
///
/// A new command is a file here: its fields, how a batch applies it, and the function of `Engine` that requests it.
protocol WriterCommand: Sendable {
    /// The answer to the command. Answers are small, because each waits with many others.
    associatedtype Answer: Sendable

    /// The approximate number of bytes that the command holds in memory while it waits.
    var size: Int { get }

    /// True if applying the command may take longer than a batch.
    var isLong: Bool { get }

    /// True if the command uses all room that a batch gives; then applying the next one beside a commit is worthwhile.
    var fillsBatch: Bool { get }

    /// True if the command is a part of work without a waiting caller; such a part stands behind all other commands.
    var isPart: Bool { get }

    /// True if the command brings the result of an effect or a task; then neither a full queue nor draining refuses it.
    static var isResult: Bool { get }

    /// The instances, or the machine, that are charged for the command's cost.
    var payers: [CommandTarget] { get }

    /// The payers, and all other targets that the command shares with commands it may not overtake.
    var targets: [CommandTarget] { get }

    /// A few words about the command for the log, without payloads.
    var summary: String { get }

    /// Adds the rows that applying the command looks up, so that one read serves many commands. Rows that only a
    /// rejection looks up may be missing.
    func want(_ rows: inout WantedRows)

    /// Applies the command, or throws the reason why not. A rejected command leaves no trace in the batch. The command
    /// may be applied again to another batch if the first was not written.
    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer

    /// Wraps the command for the queue. The command is consumed, because commands are large and copies of them cost.
    consuming func queued(_ destination: AnswerDestination<Answer>) -> any QueuedCommand
}

extension WriterCommand {
    static var isResult: Bool { false }
    var fillsBatch: Bool { false }
    var isPart: Bool { false }

    consuming func queued(_ destination: AnswerDestination<Answer>) -> any QueuedCommand { Queued(self, destination) }
}

/// The answer to a command that may have a key: its own, or the place of an earlier command's answer.
enum KeyedAnswer<Value: Sendable>: Sendable {
    case first(Value)
    /// The row of the journal from which the first answer is built again.
    case repeated(Position)
}

/// A command of any kind that waits for the writer. The object keeps its outcome until the outcome may be told.
protocol QueuedCommand: AnyObject, Sendable {
    /// The command itself, for properties that `QueuedCommand` does not repeat.
    var command: any WriterCommand { get }

    /// The approximate number of bytes that the command holds in memory while it waits.
    var size: Int { get }

    /// True if applying the command may take longer than a batch.
    var isLong: Bool { get }

    /// The reason why the command was not applied the last time; `nil` if it was applied.
    var rejection: Rejection? { get }

    /// The number of times that the command was applied and had to wait for a machine version.
    var waits: Int { get set }

    /// Applies the command to a batch and keeps the outcome, which replaces an earlier outcome.
    func apply(to batch: inout BatchBuilder)

    /// Postpones the command, which is applied later.
    func postpone(_ wait: Rejection.Wait)

    /// Answers with the outcome. Call either `reply` after `apply`, or `refuse`, and only once.
    func reply()

    /// Answers that the command was not carried out, whatever its outcome.
    func refuse(_ rejection: Rejection)
}

/// The destination of the answer to a command.
enum AnswerDestination<Answer: Sendable>: Sendable {
    case caller(@Sendable (Result<Answer, Rejection>) -> Void)
    /// A place among the answers to commands that were sent together.
    case collection(AnswerCollection<Answer>, Int)

    /// The sequence that the command belongs to, if order matters.
    fileprivate var sequence: CommandSequence? {
        if case .collection(let answers, _) = self { answers.sequence } else { nil }
    }

    fileprivate func tell(_ outcome: Result<Answer, Rejection>) {
        switch self {
        case .caller(let answered): answered(outcome)
        case .collection(let answers, let offset): answers.set(outcome, at: offset)
        }
    }
}

/// A command of one kind, the destination of its answer, and its outcome until the outcome is told.
///
/// One thread at a time uses `outcome`. The writer's thread applies the command. If another thread answers, the command
/// was handed over under the lock of `CommitPipeline`.
protocol OutcomeKeeper: QueuedCommand {
    associatedtype Command: WriterCommand
    var asked: Command { get }
    var destination: AnswerDestination<Command.Answer> { get }
    var outcome: Result<Command.Answer, Rejection>? { get set }
}

extension OutcomeKeeper {
    var command: any WriterCommand { asked }

    var rejection: Rejection? {
        if case .failure(let rejection)? = outcome { rejection } else { nil }
    }

    func apply(to batch: inout BatchBuilder) {
        let sequence = destination.sequence
        if let rejection = sequence?.rejection(of: self) {
            outcome = .failure(rejection)
            return
        }
        do throws(Rejection) {
            outcome = .success(try asked.apply(to: &batch))
        } catch {
            outcome = .failure(error)
            if error.wait == nil { sequence?.rejected(self, error) } else { sequence?.waits(self) }
        }
    }

    func postpone(_ wait: Rejection.Wait) {
        outcome = .failure(Rejection(waiting: wait))
        destination.sequence?.waits(self)
    }

    func reply() {
        // Proof: a batch answers only commands that it has applied.
        guard let outcome else { preconditionFailure("a command is applied before it is answered") }
        if case .failure(let rejection) = outcome { destination.sequence?.told(self, rejection) }
        destination.tell(outcome)
    }

    func refuse(_ rejection: Rejection) {
        destination.sequence?.told(self, rejection)
        destination.tell(.failure(rejection))
    }
}

/// A command of any kind in the queue.
///
/// `@unchecked Sendable`: see `OutcomeKeeper`.
final class Queued<Command: WriterCommand>: OutcomeKeeper, @unchecked Sendable {
    let size: Int
    let isLong: Bool
    let asked: Command
    let destination: AnswerDestination<Command.Answer>
    var outcome: Result<Command.Answer, Rejection>?
    var waits = 0

    init(_ command: Command, _ destination: AnswerDestination<Command.Answer>) {
        asked = command
        self.destination = destination
        size = command.size
        isLong = command.isLong
    }
}

/// Collects the answers to commands that were sent together.
final class AnswerCollection<Answer: Sendable>: Sendable {
    /// The sequence that the commands belong to, if order matters.
    let sequence: CommandSequence?
    private let state: Mutex<(answers: [Result<Answer, Rejection>?], missing: Int)>
    private let whole: @Sendable ([Result<Answer, Rejection>?]) -> Void

    init(
        count: Int, in sequence: CommandSequence?, _ whole: @escaping @Sendable ([Result<Answer, Rejection>?]) -> Void
    ) {
        self.sequence = sequence
        state = Mutex((Array(repeating: nil, count: count), count))
        self.whole = whole
    }

    func set(_ answer: Result<Answer, Rejection>, at offset: Int) {
        let answers = state.withLock { state in
            state.answers[offset] = answer
            state.missing -= 1
            guard state.missing == 0 else { return nil as [Result<Answer, Rejection>?]? }
            // The answers go to the caller; the writer has nothing of them left to free.
            defer { state.answers = [] }
            return state.answers
        }
        if let answers { whole(answers) }
    }
}

/// Commands that are sent in order, in as many groups as needed. If a command fails for an external reason, such as a
/// full disk, no later command is applied. So a caller that sends the commands again keeps their order.
package final class CommandSequence: Sendable {
    private struct Gap {
        /// The command that could not be carried out, until its caller is told: until then it may be applied again.
        var command: ObjectIdentifier?
        let rejection: Rejection
    }

    private let gap = Mutex<Gap?>(nil)
    /// The parts of the sequence by the number of their lane.
    private let parts = Mutex<[Int: CommandSequence]>([:])

    package init() {}

    /// Returns the part of the sequence that one of several lanes carries out: its commands wait for no other lane.
    func part(_ lane: Int) -> CommandSequence {
        parts.withLock { parts in
            let part = parts[lane] ?? CommandSequence()
            parts[lane] = part
            return part
        }
    }

    /// Returns the reason why a command may not be applied: an earlier command was not carried out.
    func rejection(of command: some QueuedCommand) -> Rejection? {
        gap.withLock { gap in
            if gap?.command == ObjectIdentifier(command) { gap = nil }
            return gap?.rejection
        }
    }

    /// Records a command that could not be applied. Its caller is not told yet.
    func rejected(_ command: some QueuedCommand, _ rejection: Rejection) {
        guard rejection.code.isOfDaemon else { return }
        gap.withLock { $0 = $0 ?? Gap(command: ObjectIdentifier(command), rejection: rejection) }
    }

    /// Records a command that is applied again later, so the commands behind it wait, too.
    func waits(_ command: some QueuedCommand) {
        gap.withLock {
            $0 = $0 ?? Gap(command: ObjectIdentifier(command), rejection: Rejection(waiting: .behind))
        }
    }

    /// Records that a command's caller is told why the command was not carried out.
    func told(_ command: some QueuedCommand, _ rejection: Rejection) {
        guard rejection.code.isOfDaemon else { return }
        gap.withLock { gap in
            // Replaces a wait that nothing would end.
            if gap == nil || gap?.command == ObjectIdentifier(command) { gap = Gap(rejection: rejection) }
        }
    }
}

extension Rejection.Code {
    /// True if the daemon could not carry out the command now; the same command may succeed later.
    var isOfDaemon: Bool {
        switch self {
        case .overloaded, .draining, .storageUnavailable, .outcomeUnknown: true
        default: false
        }
    }
}

/// Commands that were taken from the queue and are not answered yet.
typealias QueuedCommands = ArraySlice<any QueuedCommand>
