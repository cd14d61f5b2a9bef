import HTTPTypes
import Hummingbird
import NIOCore
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The route for events of many instances, and for new instances, one per line.
struct BatchRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget
    let metrics: RequestMetrics

    func register(on routes: inout RouteHandlers) {
        routes.on(.sendEvents) { try await send($0) }
    }

    private func send(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try BatchParameters(query: try request.queryItems) }
        try request.head.refuseIdempotencyKey()
        guard request.head.mediaTypeName == LineStream.mediaType else {
            throw request.head.unsupportedMediaType(expected: LineStream.mediaType)
        }
        if parameters.atomic { return try await sendTogether(request) }
        let share = parameters.context ? try await budget.reserve(AnswerLimits.contextLinesBytes) : nil
        return Response(lines: engine.log, for: .usual) { [engine, metrics] writer in
            try await BatchStream(
                engine: engine, metrics: metrics, request: request, withContext: parameters.context
            ).run(&writer)
            withExtendedLifetime(share) {}
        }
    }

    private func sendTogether(_ request: RoutedRequest) async throws -> Response {
        let (commands, numbers) = try await linesTogether(request)
        do {
            let events = try await asking { try await engine.sendTogether(commands) }
            let answers = zip(numbers, events).map { BatchAnswer($1, line: $0, withContext: false) }
            return Response(lines: engine.log, for: .usual) { writer in
                for answer in answers { try await writer.write(answer) }
            }
        } catch var problem as Problem {
            problem.line = problem.line.map { numbers[Int($0) - 1] }
            throw problem
        }
    }

    /// Reads the lines that are applied all or not at all. Logs lines that cannot be read, because the engine never
    /// sees them.
    private func linesTogether(_ request: RoutedRequest) async throws -> ([LineCommand], numbers: [Int64]) {
        do {
            return try await commandsTogether(request)
        } catch let problem as Problem {
            engine.log.tellRefusedBatch(problem)
            throw problem
        }
    }

    private func commandsTogether(_ request: RoutedRequest) async throws -> ([LineCommand], numbers: [Int64]) {
        var reader = BodyLines(request.request.body, on: request.connection)
        var commands: [LineCommand] = []
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
                    commands.append(try LineCommand(line: line, by: request.caller, withContext: false))
                } catch {
                    var problem = error
                    problem.line = number
                    throw problem
                }
                numbers.append(number)
                return true
            }
        }
        return (commands, numbers)
    }
}
