import Synchronization
package import WorkflowAPI
package import WorkflowClient
package import WorkflowJSON

/// A transport that answers requests from a list, and records them.
package final class ScriptedTransport: Transport {
    package func another() -> any Transport { self }

    package typealias Step = Result<TransportAnswer, ClientError>

    package let address = Address.unix(path: "/run/test.sock")
    private let state: Mutex<State>

    private struct State {
        var steps: ArraySlice<Step>
        var requests: [TransportRequest] = []
        var isShutDown = false
    }

    package init(_ steps: [Step]) {
        state = Mutex(State(steps: steps[...]))
    }

    /// The requests so far.
    package var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// True if its connections were closed.
    package var isShutDown: Bool { state.withLock { $0.isShutDown } }

    package func execute(_ request: TransportRequest) async throws(ClientError) -> TransportAnswer {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.popFirst()
        }
        guard let step else { throw .protocolViolation(address, reason: "the script has no more answers") }
        return try step.get()
    }

    /// Returns the body of the next answer in parts of seven bytes, so that no reader can rely on their boundaries.
    package func stream(_ request: TransportRequest) async throws(ClientError) -> StreamedAnswer {
        let answer = try await execute(request)
        let body = AnswerBytes(length: Int64(answer.body.count)) {
            var rest = answer.body[...]
            return {
                defer { rest = rest.dropFirst(7) }
                return rest.isEmpty ? nil : Array(rest.prefix(7))
            }
        }
        return StreamedAnswer(status: answer.status, mediaType: answer.mediaType, body: body)
    }

    package func shutdown() async {
        state.withLock { $0.isShutDown = true }
    }
}

extension ScriptedTransport.Step {
    /// Returns a successful answer with JSON text.
    package static func json(_ text: String, status: Int = 200) -> Self {
        .success(TransportAnswer(status: status, mediaType: "application/json", body: Array(text.utf8)))
    }

    /// Returns a successful answer with a value.
    package static func value(_ value: some JSONWritable, status: Int = 200) -> Self {
        json(JSONWriter.string(value), status: status)
    }

    /// Returns a successful answer in lines of JSON.
    package static func lines(_ lines: [String]) -> Self {
        let text = lines.map { $0 + "\n" }.joined()
        return .success(TransportAnswer(status: 200, mediaType: LineStream.mediaType, body: Array(text.utf8)))
    }

    /// Returns a successful answer with bytes of a media type.
    package static func bytes(_ bytes: [UInt8], as mediaType: String) -> Self {
        .success(TransportAnswer(status: 200, mediaType: mediaType, body: bytes))
    }

    /// Returns an error answer in the form of the daemon's.
    package static func problem(_ problem: Problem) -> Self {
        .success(
            TransportAnswer(
                status: problem.type.status, mediaType: Problem.mediaType, body: JSONWriter.bytes(problem)))
    }
}
