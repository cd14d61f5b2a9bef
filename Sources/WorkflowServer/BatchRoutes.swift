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
    let budget: AnswerBudget
    let logger: Logger

    func register(on router: Router<some RequestContext>) {
        router.resource("/v1/events", [(.post, { request, _ in try await send(request) })])
    }

    private func send(_ request: Request) async throws -> Response {
        let parameters = try reading { try BatchParameters(query: try request.queryItems) }
        try request.head.refuseIdempotencyKey()
        guard request.head.mediaTypeName == LineStream.mediaType else {
            throw request.head.unsupportedMediaType(expected: LineStream.mediaType)
        }
        if parameters.atomic { return try await sendTogether(request) }
        let share = parameters.context ? try await budget.reserve(AnswerLimits.contextLinesBytes) : nil
        return Response(lines: logger, for: .usual) { [engine] writer in
            try await BatchStream(engine: engine, body: request.body, withContext: parameters.context).run(&writer)
            withExtendedLifetime(share) {}
        }
    }

    private func sendTogether(_ request: Request) async throws -> Response {
        var reader = BodyLines(request.body)
        var commands: [SendCommand] = []
        var numbers: [Int64] = []
        var bytes = 0
        while try await reader.more() {
            try reader.forEach { line, number in
                if line.isEmpty { return true }
                bytes += line.count
                guard commands.count < BatchLimits.linesTogether, bytes <= BatchLimits.bytesTogether else {
                    throw Problem(
                        .payloadTooLarge,
                        detail:
                            "All or none are at most \(BatchLimits.linesTogether) lines and "
                            + "\(BatchLimits.bytesTogether) bytes"
                    )
                }
                do throws(Problem) {
                    commands.append(try SendCommand(line: line, withContext: false))
                } catch {
                    var problem = error
                    problem.line = number
                    throw problem
                }
                numbers.append(number)
                return true
            }
        }
        do {
            let events = try await asking { [commands] in try await engine.sendTogether(commands) }
            let answers = zip(numbers, events).map { BatchAnswer($1, line: $0, withContext: false) }
            return Response(lines: logger, for: .usual) { writer in
                for answer in answers { try await writer.write(answer) }
            }
        } catch var problem as Problem {
            problem.line = problem.line.map { numbers[Int($0) - 1] }
            throw problem.type == .instanceNotFound ? await engine.suggestingInstance(problem) : problem
        }
    }
}
