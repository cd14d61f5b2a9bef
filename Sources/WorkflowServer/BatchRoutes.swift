import HTTPTypes
import Hummingbird
import JSON
import Logging
import NIOCore
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// `/v1/events`: events for many instances, a line each.
struct BatchRoutes: Sendable {
    let engine: Engine
    let logger: Logger

    func register(on router: Router<some RequestContext>) {
        router.resource("/v1/events", [(.post, { request, _ in try await send(request) })])
    }

    private func send(_ request: Request) async throws -> Response {
        let parameters = try reading { try BatchParameters(query: try request.queryItems) }
        try request.refuseIdempotencyKey()
        guard request.mediaTypeName == LineStream.mediaType else {
            throw request.unsupportedMediaType(expected: LineStream.mediaType)
        }
        if parameters.atomic { return try await sendTogether(request) }
        return Response(lines: logger) { [engine] writer in
            var reader = BodyLines(request.body)
            var group = BatchGroup()
            while let line = try await reader.next() {
                if line.bytes.isEmpty { continue }
                group.add(line.bytes, number: line.number)
                guard group.isFull else { continue }
                for answer in try await group.send(to: engine) { try await writer.write(answer) }
                group = BatchGroup()
            }
            for answer in try await group.send(to: engine) { try await writer.write(answer) }
        }
    }

    private func sendTogether(_ request: Request) async throws -> Response {
        var reader = BodyLines(request.body)
        var commands: [SendCommand] = []
        var numbers: [Int64] = []
        var bytes = 0
        while let line = try await reader.next() {
            if line.bytes.isEmpty { continue }
            bytes += line.bytes.count
            guard commands.count < BatchLimits.linesTogether, bytes <= BatchLimits.bytesTogether else {
                throw Problem(
                    .payloadTooLarge,
                    detail:
                        "All or none are at most \(BatchLimits.linesTogether) lines and "
                        + "\(BatchLimits.bytesTogether) bytes"
                )
            }
            do throws(Problem) {
                commands.append(try SendCommand(line: line.bytes))
            } catch {
                var problem = error
                problem.line = line.number
                throw problem
            }
            numbers.append(line.number)
        }
        do {
            let events = try await asking { [commands] in try await engine.sendTogether(commands) }
            let answers = zip(numbers, events).map { BatchAnswer($1, line: $0) }
            return Response(lines: logger) { writer in for answer in answers { try await writer.write(answer) } }
        } catch var problem as Problem {
            problem.line = problem.line.map { numbers[Int($0) - 1] }
            throw problem
        }
    }
}

/// The bounds of bodies in lines.
enum BatchLimits {
    /// Lines that are sent to the writer at once.
    static let linesAtOnce = 256
    /// Bytes of lines that are sent to the writer at once.
    static let bytesAtOnce = 1 << 20
    /// Lines that are applied all or none.
    static let linesTogether = 1_000
    /// Bytes of lines that are applied all or none.
    static let bytesTogether = 4 << 20
    /// How long lines wait for room in the writer's queue.
    static let waiting: Duration = .seconds(30)
}

/// Lines that are sent to the writer at once, in their order.
private struct BatchGroup {
    private var lines: [(number: Int64, command: Result<SendCommand, Problem>)] = []
    private var bytes = 0

    var isFull: Bool { lines.count >= BatchLimits.linesAtOnce || bytes >= BatchLimits.bytesAtOnce }

    mutating func add(_ line: [UInt8], number: Int64) {
        bytes += line.count
        do {
            lines.append((number, .success(try SendCommand(line: line))))
        } catch {
            lines.append((number, .failure(error)))
        }
    }

    /// Sends the lines and gives the answers in their order. When the queue is full they wait for room: a later line
    /// must not be applied when an earlier one was turned away.
    func send(to engine: Engine) async throws -> [BatchAnswer] {
        let commands = lines.compactMap { try? $0.command.get() }
        var outcomes = try await outcomes(of: commands, engine)[...]
        return lines.map { line in
            switch line.command {
            case .failure(let problem): return BatchAnswer(problem, line: line.number)
            case .success:
                switch outcomes.popFirst() {
                case .success(let event)?: return BatchAnswer(event, line: line.number)
                case .failure(let rejection)?: return BatchAnswer(Problem(rejection), line: line.number)
                case nil: preconditionFailure("every command has an outcome")
                }
            }
        }
    }

    private func outcomes(
        of commands: [SendCommand], _ engine: Engine
    ) async throws -> [Result<SentEvent, Rejection>] {
        let deadline = ContinuousClock.now + BatchLimits.waiting
        while true {
            do throws(Rejection) {
                return try await engine.send(commands)
            } catch {
                guard case .overloaded = error, .now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension SendCommand {
    /// Reads a line of a batch.
    fileprivate init(line: [UInt8]) throws(Problem) {
        let body: BatchLine
        do throws(WireError) {
            body = try BatchLine(body: line)
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
    fileprivate init(_ event: SentEvent, line: Int64) {
        self.init(
            line: line, status: 200, repeated: event.isRepeated ? true : nil,
            answer: SendAnswer(event, withDetail: false))
    }

    fileprivate init(_ problem: Problem, line: Int64) {
        self.init(line: line, status: problem.type.status, error: problem)
    }
}
