package import JSON
import Synchronization
package import WorkflowAPI
package import WorkflowClient

/// Answers requests from a list, and remembers them.
package final class ScriptedTransport: Transport {
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

    /// All requests so far.
    package var requests: [TransportRequest] { state.withLock { $0.requests } }

    /// Whether its connections were given up.
    package var isShutDown: Bool { state.withLock { $0.isShutDown } }

    package func execute(_ request: TransportRequest) async throws(ClientError) -> TransportAnswer {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.popFirst()
        }
        guard let step else { throw .protocolViolation(address, reason: "the script has no more answers") }
        return try step.get()
    }

    package func shutdown() async {
        state.withLock { $0.isShutDown = true }
    }
}

extension ScriptedTransport.Step {
    /// A success with JSON text.
    package static func json(_ text: String, status: Int = 200) -> Self {
        .success(TransportAnswer(status: status, mediaType: "application/json", body: Array(text.utf8)))
    }

    /// A success with a value.
    package static func value(_ value: some JSONWritable, status: Int = 200) -> Self {
        json(JSONWriter.string(value), status: status)
    }

    /// An error as the daemon answers it.
    package static func problem(_ problem: Problem) -> Self {
        .success(
            TransportAnswer(
                status: problem.type.status, mediaType: Problem.mediaType, body: JSONWriter.bytes(problem)))
    }
}
