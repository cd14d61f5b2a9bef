import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// Lines that are sent to the writer at once, in their order.
struct BatchGroup {
    private var numbers: [Int64] = []
    private var commands: [LineCommand] = []
    /// The problems of lines that are not commands, by their place in `numbers`.
    private var problems: [Int: Problem] = [:]
    private(set) var bytes = 0
    private let withContext: Bool
    private let caller: Caller

    init(by caller: Caller, withContext: Bool) {
        self.caller = caller
        self.withContext = withContext
    }

    var count: Int { numbers.count }
    private var mostLines: Int { withContext ? BatchLimits.contextLinesAtOnce : BatchLimits.linesAtOnce }
    var isFull: Bool { count >= mostLines || bytes >= BatchLimits.bytesAtOnce }

    mutating func add(_ line: UnsafeBufferPointer<UInt8>, number: Int64) {
        bytes += line.count
        do throws(Problem) {
            commands.append(try LineCommand(line: line, by: caller, withContext: withContext))
        } catch {
            problems[numbers.count] = error
        }
        numbers.append(number)
    }

    /// Puts the events and starts into the writer's queue. If the queue is full, they wait for room: a later line must
    /// not be applied after an earlier line was turned away.
    func begin(in engine: Engine, _ sequence: CommandSequence) async throws -> BegunGroup {
        BegunGroup(group: self, sends: try await engine.beginWhenRoom(commands, in: sequence))
    }

    /// Returns the answer to a line, and removes the line's outcome from the outcomes; `nil` after the last line. The
    /// outcomes are those of the commands of this line and later ones.
    func answer(at offset: Int, _ outcomes: inout ArraySlice<Result<SendResult, Rejection>>) -> BatchAnswer? {
        guard offset < numbers.count else { return nil }
        let number = numbers[offset]
        if let problem = problems[offset] { return BatchAnswer(problem, line: number) }
        switch outcomes.popFirst() {
        case .success(let event)?: return BatchAnswer(event, line: number, withContext: withContext)
        case .failure(let rejection)?: return BatchAnswer(Problem(rejection), line: number)
        // Proof: the engine gives an outcome for each command, and a line without one has its problem.
        case nil: preconditionFailure("every command has an outcome")
        }
    }
}

/// A group whose commands are in the writer's queue or already answered.
struct BegunGroup: Sendable {
    let group: BatchGroup
    let sends: PendingSends
}

/// The limits of bodies in lines.
enum BatchLimits {
    /// Lines that are sent to the writer at once.
    static let linesAtOnce = 500
    /// Bytes of lines that are sent to the writer at once.
    static let bytesAtOnce = 1 << 20
    /// Lines whose answers are not yet written; beyond them no more lines are read. The number leaves lines to apply
    /// while all batches that may be under way are committed.
    static let linesUnderWay = 8_000
    /// Bytes of lines whose answers are not yet written.
    static let bytesUnderWay = 8 << 20
    /// Lines that are applied all or not at all.
    static let linesTogether = 1_000
    /// Bytes of lines that are applied all or not at all.
    static let bytesTogether = 4 << 20
    /// Lines under way whose answers contain the context; each context may have a mebibyte.
    static let contextLinesAtOnce = 4
    /// Bytes of answers at which they are written before the next answer is made.
    static let answerBytesAtOnce = 64 << 10
}

extension LineCommand {
    /// Parses a line of a batch.
    init(line: UnsafeBufferPointer<UInt8>, by caller: Caller, withContext: Bool) throws(Problem) {
        let body: BatchLine
        do throws(WireError) {
            body = try BatchLine(line: line)
        } catch {
            throw Problem(error)
        }
        var key: RequestKey?
        if let text = body.key {
            guard let known = RequestKey(text: text) else {
                throw Problem(.invalidRequest, detail: "Field 'key' is no key: \(IdempotencyKey.rule)")
            }
            key = known
        }
        switch body.content {
        case .event(let event):
            self = .send(
                SendCommand(
                    instance: InstanceName(rawValue: body.instance), event: Event(name: event.event, data: event.data),
                    expectedSeq: event.expect?.seq.map(Seq.init), expectedState: event.expect?.state,
                    wantsContext: withContext, key: key, by: caller))
        case .start(let start):
            let request = StartRequest(
                machine: start.machine, version: start.version, instance: body.instance, data: start.data)
            self = .start(
                StartLine(try StartCommand(request, key: key, by: caller), wantsContext: withContext))
        }
    }
}

extension BatchAnswer {
    init(_ event: SendResult, line: Int64, withContext: Bool) {
        self.init(
            line: line, status: event.isStart ? 201 : 200, repeated: event.isRepeated ? true : nil,
            answer: SendAnswer(event, withDetail: false, withContext: withContext))
    }

    init(_ problem: Problem, line: Int64) {
        self.init(line: line, status: problem.type.status, error: problem)
    }
}
