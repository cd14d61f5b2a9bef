import HTTPTypes
import Hummingbird
import NIOCore
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Reads requests for `Route.sendEvent` and makes their answers, for the router and for `SendHandler`.
struct EventEndpoint: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    /// An event as its caller requested it.
    struct Order: Sendable {
        let command: SendCommand
        /// True if the answer lists the exited and entered states.
        let withDetail: Bool
    }

    /// Reads a request.
    func order(
        _ head: HTTPRequest, body: ByteBuffer, to instance: InstanceName, _ parameters: SendParameters,
        by caller: Caller
    ) throws -> Order {
        try head.requireJSON()
        let key = try head.idempotencyKey()
        let body = try SendRequest(whole: body)
        let seq = try Self.expectedSeq(body.expect?.seq, "expect.seq", ifMatch: head.headerFields[.ifMatch])
        let command = SendCommand(
            instance: instance, event: Event(name: body.event, data: body.data), expectedSeq: seq.map(Seq.init),
            expectedState: body.expect?.state, isDryRun: parameters.dryRun, isExplained: parameters.explain,
            wantsContext: !head.prefersMinimal, key: key, by: caller)
        return Order(command: command, withDetail: parameters.detail)
    }

    /// Returns the answer once the event's outcome is known. A thrown problem with `lacksName` still needs its
    /// suggestion.
    func answer(to order: Order, _ outcome: Result<SendResult, Rejection>) throws(Problem) -> WholeAnswer {
        switch outcome {
        case .success(let sent):
            return budget.answer(sent, withDetail: order.withDetail, isMinimal: !order.command.wantsContext)
        case .failure(let rejection): throw Problem(rejection)
        }
    }

    /// Returns the expected seq of the body or of `If-Match`; both must agree if both are present.
    ///
    /// - Parameter field: The name of the body's field.
    static func expectedSeq(_ expected: Int64?, _ field: String, ifMatch: String?) throws(Problem) -> Int64? {
        guard let ifMatch, ifMatch != "*" else { return expected }
        guard ifMatch.count > 2, ifMatch.hasPrefix("\""), ifMatch.hasSuffix("\""),
            let seq = Int64(decimal: ifMatch.dropFirst().dropLast())
        else {
            throw Problem(.invalidRequest, detail: "If-Match must be a seq in double quotes, such as \"5\"")
        }
        guard expected == nil || expected == seq else {
            throw Problem(.invalidRequest, detail: "'\(field)' and If-Match do not agree")
        }
        return seq
    }
}

extension WholeAnswer {
    /// Creates the answer to an event.
    ///
    /// - Parameter isMinimal: True to leave the context out.
    init(_ sent: SendResult, withDetail: Bool, isMinimal: Bool) {
        var headers = HTTPFields()
        if isMinimal { headers[.preferenceApplied] = "return=minimal" }
        if sent.isRepeated { headers[.idempotentReplayed] = "true" }
        if !sent.isDryRun { headers[.eTag] = "\"\(sent.seq.rawValue)\"" }
        self.init(SendAnswer(sent, withDetail: withDetail, withContext: !isMinimal), headers: headers)
    }
}

extension AnswerBudget {
    /// Returns the answer to an applied event. The event must be answered, so the context is left out if there is no
    /// room.
    func answer(_ sent: SendResult, withDetail: Bool = false, isMinimal: Bool) -> WholeAnswer {
        let answer = WholeAnswer(sent, withDetail: withDetail, isMinimal: isMinimal)
        guard !isMinimal, answer.isLarge, isSpent(by: answer.body.readableBytes) else { return answer }
        return WholeAnswer(sent, withDetail: withDetail, isMinimal: true)
    }

    /// Returns the response for a finished answer, which is counted until it is handed to its connection.
    func response(_ answer: WholeAnswer) -> Response {
        guard answer.isLarge else { return Response(answer) }
        return Response(answer).holding(counting(answer.body.readableBytes))
    }
}

extension SendAnswer {
    /// Creates the wire form of an event's result.
    init(_ sent: SendResult, withDetail: Bool, withContext: Bool) {
        let to = sent.to
        self.init(
            instance: sent.instance.rawValue, event: sent.event, seq: sent.seq.rawValue, fromSeq: sent.fromSeq.rawValue,
            from: sent.from, to: to, status: Instance.Status(sent.status), configuration: to,
            tags: sent.tags, context: withContext ? sent.context : nil, output: sent.output,
            exited: withDetail ? sent.exited : nil,
            entered: withDetail ? sent.entered : nil,
            dryRun: sent.isDryRun ? true : nil,
            begun: sent.effects?.begun.map { SendAnswer.Begun(id: $0.name, queue: $0.queue) },
            cancelled: sent.effects?.cancelled, failure: sent.failure.map(Instance.Failure.init),
            candidates: sent.explanation?.map(Candidate.init),
            microsteps: sent.isDryRun && withContext
                ? sent.microsteps.map { ReplayMicrostep($0, of: sent.machine) } : nil,
            reset: sent.reset.map(ResetAnswer.init), migration: sent.migration.map(MigrationItem.init))
    }
}

extension ResetAnswer {
    /// Creates the wire form of a reset.
    fileprivate init(_ view: ResetView) {
        self.init(
            to: view.to,
            timers: view.timers.map { Timer(event: $0.event, due: WireTime(milliseconds: $0.due.milliseconds)) },
            otherTimers: view.otherTimers == 0 ? nil : Int64(view.otherTimers),
            invocations: view.invocations.map { invocation in
                let fate: Invocation.Fate =
                    switch invocation.fate {
                    case .stays: .stays
                    case .cancelled: .cancelled
                    case .again: .again
                    case .answered: .answered
                    }
                return Invocation(id: invocation.id, fate: fate)
            }, fromVersion: view.fromVersion, toVersion: view.toVersion)
    }
}
