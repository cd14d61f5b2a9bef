import Synchronization

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

    /// Applies it to a batch and keeps what came of it, instead of what came of it before.
    func apply(to batch: inout BatchBuilder)

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
            sequence?.rejected(self, error)
        }
    }

    func reply() {
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

    init(_ command: Command, _ destination: AnswerDestination<Command.Answer>) {
        asked = command
        self.destination = destination
        size = command.size
        isLong = command.isLong
    }
}

/// A single event in the queue. A class of its own, because there are many: a generic one looks its types up whenever
/// it is used, which costs 4,300 instructions an event.
///
/// `@unchecked Sendable`: see `OutcomeKeeper`.
final class QueuedSend: OutcomeKeeper, @unchecked Sendable {
    let size: Int
    let isLong = false
    let asked: SendCommand
    let destination: AnswerDestination<SendCommand.Answer>
    var outcome: Result<SendCommand.Answer, Rejection>?

    init(_ command: SendCommand, _ destination: AnswerDestination<SendCommand.Answer>) {
        size = command.size
        self.destination = destination
        asked = command
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
