import Synchronization
import WorkflowStore

/// What commands name: whom they are about.
enum CommandTarget: Hashable, Sendable {
    case instance(InstanceKey)
    case machine(MachineKey)
    /// The instance of a result, of which only the number is known.
    case owner(InstanceID)
}

/// Something that is asked of the writer: applied in memory with others, and answered when their batch is on disk.
///
/// A new one is a file here: its fields, how a batch applies it, and the function of `Engine` that asks for it.
protocol WriterCommand: Sendable {
    /// What it is answered with. Small, because it waits with many others.
    associatedtype Answer: Sendable

    /// Roughly the bytes that it holds in memory while it waits.
    var size: Int { get }

    /// Whether applying it may take longer than a batch.
    var isLong: Bool { get }

    /// Whether it takes as much of a batch as it gets: then the next one is worth applying beside a commit.
    var fillsBatch: Bool { get }

    /// Whether it is a part of something for which nobody waits: it stands behind all others.
    var isPart: Bool { get }

    /// Whether it brings the end of what was begun: then neither a full queue nor draining refuses it.
    static var isResult: Bool { get }

    /// Those that are charged for what it costs: instances, or a machine.
    var payers: [CommandTarget] { get }

    /// The payers, and whatever else it shares with commands that it may not overtake.
    var targets: [CommandTarget] { get }

    /// What it asks for, in a few words for the log; without payloads.
    var summary: String { get }

    /// Says what applying it looks up in the store, so that it can be read at once with what others look up. What only
    /// a rejection looks up may be missing.
    func want(_ rows: inout WantedRows)

    /// Applies it, or throws why not. One that is rejected leaves no trace in the batch. It may be applied again to
    /// another batch, when the first was not written.
    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer

    /// The command as it waits in the queue. It goes there as it is: commands are large, and copies of them cost.
    consuming func queued(_ destination: AnswerDestination<Answer>) -> any QueuedCommand
}

extension WriterCommand {
    static var isResult: Bool { false }
    var fillsBatch: Bool { false }
    var isPart: Bool { false }

    consuming func queued(_ destination: AnswerDestination<Answer>) -> any QueuedCommand { Queued(self, destination) }
}

/// The answer to a command that may have a key: its own, or where that of an earlier one is found.
enum KeyedAnswer<Value: Sendable>: Sendable {
    case first(Value)
    /// The row of the journal from which the first answer is made again.
    case repeated(Position)
}

/// A command that waits for the writer, of whatever kind; it keeps its outcome until that may be told.
protocol QueuedCommand: AnyObject, Sendable {
    /// The command itself, for what is not asked for every one.
    var command: any WriterCommand { get }

    /// Roughly the bytes that it holds in memory while it waits.
    var size: Int { get }

    /// Whether applying it may take longer than a batch.
    var isLong: Bool { get }

    /// Why it was not applied, the last time; nil when it was.
    var rejection: Rejection? { get }

    /// The number of times that the command was applied and had to wait for a machine version.
    var waits: Int { get set }

    /// Applies it to a batch and keeps what came of it, instead of what came of it before.
    func apply(to batch: inout BatchBuilder)

    /// Has the command wait; it is applied later.
    func postpone(_ wait: Rejection.Wait)

    /// Tells what came of it; to be called once, after `apply`, or else `refuse`.
    func reply()

    /// Tells that it was not carried out, whatever came of applying it.
    func refuse(_ rejection: Rejection)
}

/// Where the answer to a command goes.
enum AnswerDestination<Answer: Sendable>: Sendable {
    case caller(@Sendable (Result<Answer, Rejection>) -> Void)
    /// A place among the answers to commands that were sent together.
    case collection(AnswerCollection<Answer>, Int)

    /// What it is a part of, where its order counts.
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

/// A command of one kind, where its answer goes, and its outcome until that is told.
///
/// `outcome` is used by one thread at a time. The writer's thread applies; when another one tells, the command has
/// passed from one to the other under the lock of `CommitPipeline`.
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
        // Proof: a batch answers the commands that it has applied.
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
    /// What the commands are a part of, where their order counts.
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
            // They go to who waits; nothing of them is left for the writer to clean up.
            defer { state.answers = [] }
            return state.answers
        }
        if let answers { whole(answers) }
    }
}

/// Commands that are sent one behind the other, in as many groups as it takes. Where one could not be carried out for a
/// reason that is not its own, as on a full disk, none behind it is applied: who sends them again keeps their order.
package final class CommandSequence: Sendable {
    private struct Gap {
        /// The command that could not be carried out, until that is told: by then it may be applied again.
        var command: ObjectIdentifier?
        let rejection: Rejection
    }

    private let gap = Mutex<Gap?>(nil)

    package init() {}

    /// Why a command may not be applied: one before it was not carried out.
    func rejection(of command: some QueuedCommand) -> Rejection? {
        gap.withLock { gap in
            if gap?.command == ObjectIdentifier(command) { gap = nil }
            return gap?.rejection
        }
    }

    /// A command could not be applied. That is not told yet.
    func rejected(_ command: some QueuedCommand, _ rejection: Rejection) {
        guard rejection.code.isOfDaemon else { return }
        gap.withLock { $0 = $0 ?? Gap(command: ObjectIdentifier(command), rejection: rejection) }
    }

    /// The command is applied again later, so the commands behind it wait, too.
    func waits(_ command: some QueuedCommand) {
        gap.withLock {
            $0 = $0 ?? Gap(command: ObjectIdentifier(command), rejection: Rejection(waiting: .behind))
        }
    }

    /// Who asked for a command is told why it was not carried out.
    func told(_ command: some QueuedCommand, _ rejection: Rejection) {
        guard rejection.code.isOfDaemon else { return }
        gap.withLock { gap in
            // Thrown instead of a wait that nothing would end.
            if gap == nil || gap?.command == ObjectIdentifier(command) { gap = Gap(rejection: rejection) }
        }
    }
}

extension Rejection.Code {
    /// Whether the daemon could not carry out the command now: sent again as it is, it may be.
    var isOfDaemon: Bool {
        switch self {
        case .overloaded, .draining, .storageUnavailable, .outcomeUnknown: true
        default: false
        }
    }
}

/// Commands that were taken from the queue and are not answered.
typealias QueuedCommands = ArraySlice<any QueuedCommand>
