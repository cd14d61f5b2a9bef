import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// `/v1/instances/NAME/events`: sending events, and asking which ones are accepted.
struct EventRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on router: Router<some RequestContext>) {
        router.resource(
            "/v1/instances/:instance/events",
            [
                (
                    .get,
                    { request, context in
                        try await list(request, name: try context.pathParameter("instance"))
                    }
                ),
                (
                    .post,
                    { request, context in
                        try await send(request, name: try context.pathParameter("instance"))
                    }
                ),
            ])
        router.resource(
            "/v1/instances/:instance/retry",
            [
                (
                    .post,
                    { request, context in
                        try await retry(request, name: try context.pathParameter("instance"))
                    }
                )
            ])
    }

    private func retry(_ request: Request, name: String) async throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        try request.head.refuseIdempotencyKey()
        let body = try await request.object(as: RetryRequest.self)
        let command = RetryCommand(instance: name, expectedSeq: body.seq.map(Seq.init))
        do {
            let sent = try await asking { try await engine.retry(command) }
            return budget.response(sent, isMinimal: request.head.prefersMinimal)
        } catch let problem as Problem where problem.type == .instanceNotFound {
            throw await engine.suggestingInstance(problem)
        }
    }

    private func send(_ request: Request, name: String) async throws -> Response {
        let parameters = try reading { try SendParameters(query: try request.queryItems) }
        try request.head.requireJSON()
        let command = try SendCommand(
            request.head, body: try await request.wholeBody(), instance: name, parameters: parameters)
        do {
            let sent = try await asking { try await engine.send(command) }
            return budget.response(sent, withDetail: parameters.detail, isMinimal: !command.wantsContext)
        } catch let problem as Problem where problem.type == .instanceNotFound {
            throw await engine.suggestingInstance(problem)
        }
    }

    private func list(_ request: Request, name: String) async throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        do {
            let now = try await asking { try await engine.acceptance(of: name) }
            let items = now.events.map { EventItem(event: $0.descriptor, accepted: $0.isAccepted) }
            return Response(AcceptedEvents(items: items, tags: now.tags))
        } catch let problem as Problem where problem.type == .instanceNotFound {
            throw await engine.suggestingInstance(problem)
        }
    }
}

extension SendCommand {
    /// Reads a request to send an event.
    init(_ request: HTTPRequest, body: ByteBuffer, instance: String, parameters: SendParameters) throws {
        try request.requireJSON()
        let key = try request.idempotencyKey()
        let body = try SendRequest(whole: body)
        let seq = try Self.expectedSeq(body.expect?.seq, ifMatch: request.headerFields[.ifMatch])
        self.init(
            instance: instance, event: Event(name: body.event, data: body.data), expectedSeq: seq.map(Seq.init),
            expectedState: body.expect?.state, isDryRun: parameters.dryRun, isExplained: parameters.explain,
            wantsContext: !request.prefersMinimal, key: key)
    }

    /// The seq of the body or of `If-Match`, which say the same thing when both are there.
    private static func expectedSeq(_ expected: Int64?, ifMatch: String?) throws(Problem) -> Int64? {
        guard let ifMatch, ifMatch != "*" else { return expected }
        guard ifMatch.count > 2, ifMatch.hasPrefix("\""), ifMatch.hasSuffix("\""),
            let seq = Int64(ifMatch.dropFirst().dropLast())
        else {
            throw Problem(.invalidRequest, detail: "If-Match must be a seq in double quotes, such as \"5\"")
        }
        guard expected == nil || expected == seq else {
            throw Problem(.invalidRequest, detail: "'expect.seq' and If-Match do not agree")
        }
        return seq
    }
}

extension WholeAnswer {
    /// The answer to an event.
    ///
    /// - Parameter isMinimal: Leaves the context out.
    init(_ sent: SentEvent, withDetail: Bool, isMinimal: Bool) {
        var headers = HTTPFields()
        if isMinimal { headers[.preferenceApplied] = "return=minimal" }
        if sent.isRepeated { headers[.idempotentReplayed] = "true" }
        if !sent.isDryRun { headers[.eTag] = "\"\(sent.seq.rawValue)\"" }
        self.init(SendAnswer(sent, withDetail: withDetail, withContext: !isMinimal), headers: headers)
    }
}

extension AnswerBudget {
    /// The answer to an event that is applied: it must be answered, without the context when there is no room for it.
    func answer(_ sent: SentEvent, withDetail: Bool = false, isMinimal: Bool) -> WholeAnswer {
        let answer = WholeAnswer(sent, withDetail: withDetail, isMinimal: isMinimal)
        guard !isMinimal, answer.isLarge, isSpent(by: answer.body.readableBytes) else { return answer }
        return WholeAnswer(sent, withDetail: withDetail, isMinimal: true)
    }

    fileprivate func response(_ sent: SentEvent, withDetail: Bool = false, isMinimal: Bool) -> Response {
        let answer = answer(sent, withDetail: withDetail, isMinimal: isMinimal)
        guard answer.isLarge else { return Response(answer) }
        return Response(answer).holding(counting(answer.body.readableBytes))
    }
}

extension SendAnswer {
    /// The wire form of what the engine says.
    init(_ sent: SentEvent, withDetail: Bool, withContext: Bool) {
        let to = sent.to
        self.init(
            instance: sent.instance, event: sent.event, seq: sent.seq.rawValue, fromSeq: sent.fromSeq.rawValue,
            from: sent.from, to: to, status: Instance.Status(sent.status), configuration: to,
            tags: sent.tags, context: withContext ? sent.context : nil, output: sent.output,
            exited: withDetail ? sent.exited : nil,
            entered: withDetail ? sent.entered : nil,
            dryRun: sent.isDryRun ? true : nil, candidates: sent.explanation?.map(Candidate.init))
    }
}
