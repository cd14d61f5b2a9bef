import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// Lines that are sent to the writer at once, in their order.
struct BatchGroup {
    private var numbers: [Int64] = []
    private var commands: [SendCommand] = []
    /// What is wrong with lines that are no commands, by their place in `numbers`.
    private var problems: [Int: Problem] = [:]
    private(set) var bytes = 0

    var count: Int { numbers.count }
    var isFull: Bool { count >= BatchLimits.linesAtOnce || bytes >= BatchLimits.bytesAtOnce }

    mutating func add(_ line: UnsafeBufferPointer<UInt8>, number: Int64) {
        bytes += line.count
        do throws(Problem) {
            commands.append(try SendCommand(line: line))
        } catch {
            problems[numbers.count] = error
        }
        numbers.append(number)
    }

    /// Puts the events into the writer's queue. When it is full they wait for room: a later line must not be applied
    /// when an earlier one was turned away.
    func begin(in engine: Engine) async throws -> BegunGroup {
        let deadline = ContinuousClock.now + BatchLimits.waiting
        while true {
            do throws(Rejection) {
                return BegunGroup(group: self, sends: try engine.begin(commands))
            } catch {
                guard case .overloaded = error, .now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// The answers to all lines, in their order, given those to the events.
    func forEachAnswer(_ outcomes: [Result<SentEvent, Rejection>], _ body: (inout BatchAnswer) -> Void) {
        var outcomes = outcomes[...]
        for (offset, number) in numbers.enumerated() {
            var answer: BatchAnswer
            if let problem = problems[offset] {
                answer = BatchAnswer(problem, line: number)
            } else {
                switch outcomes.popFirst() {
                case .success(let event)?: answer = BatchAnswer(event, line: number)
                case .failure(let rejection)?: answer = BatchAnswer(Problem(rejection), line: number)
                case nil: preconditionFailure("every command has an outcome")
                }
            }
            body(&answer)
        }
    }
}

/// A group whose events are in the writer's queue, or were answered already.
struct BegunGroup: Sendable {
    let group: BatchGroup
    let sends: PendingSends
}

/// The bounds of bodies in lines.
enum BatchLimits {
    /// Lines that are sent to the writer at once.
    static let linesAtOnce = 500
    /// Bytes of lines that are sent to the writer at once.
    static let bytesAtOnce = 1 << 20
    /// Lines whose answers are not written yet; past them no more are read. So many that there are some to apply while
    /// all batches that may be under way are committed.
    static let linesUnderWay = 8_000
    /// Bytes of such lines.
    static let bytesUnderWay = 8 << 20
    /// Lines that are applied all or none.
    static let linesTogether = 1_000
    /// Bytes of lines that are applied all or none.
    static let bytesTogether = 4 << 20
    /// How long lines wait for room in the writer's queue.
    static let waiting: Duration = .seconds(30)
}

extension SendCommand {
    /// Reads a line of a batch.
    init(line: UnsafeBufferPointer<UInt8>) throws(Problem) {
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
        self.init(
            instance: body.instance, event: Event(name: body.event, data: body.data),
            expectedSeq: body.expect?.seq.map(Seq.init), expectedState: body.expect?.state, key: key)
    }
}

extension BatchAnswer {
    init(_ event: SentEvent, line: Int64) {
        self.init(
            line: line, status: 200, repeated: event.isRepeated ? true : nil,
            answer: SendAnswer(event, withDetail: false))
    }

    init(_ problem: Problem, line: Int64) {
        self.init(line: line, status: problem.type.status, error: problem)
    }
}
