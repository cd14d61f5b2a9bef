import HTTPTypes
import Hummingbird
import NIOCore
import WorkflowAPI
import WorkflowAccess
import WorkflowConsole
import WorkflowEngine

/// The streams of pages: the API's own, each until its session ends.
extension ConsoleEndpoint {
    /// The words of the path of streams.
    static let streamWords = ["stream"]

    /// Answers with the rows of the instance that the query names, or else of machines.
    ///
    /// - Parameters:
    ///   - items: The query: `changes` with the number of recorded changes that the page knows, and `instance` once, or
    ///     the parameters of the API's stream.
    ///   - secret: The secret of the session; `nil` behind a proxy.
    func stream(
        _ items: [(name: String, value: String)], after last: String?, of caller: SessionCaller, _ secret: String?,
        by inside: InsideTransport
    ) async throws(Problem) -> Response {
        let target = try Self.target(items.filter { $0.name != Link.changes })
        let known = items.first { $0.name == Link.changes }.flatMap { Int64($0.value) }
        guard let place = sessions.place(ofStreamIn: secret) else {
            throw Problem(
                .overloaded,
                detail: "\(sessions.limits.streams) pages of this session are live already; hide or close one of them")
        }
        var response = await inside.open(target, after: last)
        guard response.status == .ok else { return response }
        let isHeld: @Sendable () -> Bool = { [access, sessions] in
            (secret.map(sessions.goesOn) ?? true) && access.identity(of: caller)?.permissions.contains(.read) ?? false
        }
        response.body = ResponseBody { [engine, body = response.body, connection = inside.page.connection] writer in
            var writer = writer
            if let known, known != engine.feed.recordedChanges {
                try await writer.write(ByteBuffer(bytes: StreamText.change))
            }
            // Cancelled when the stream ends.
            async let _ = Self.cutOff(connection, unless: isHeld)
            try await body.write(writer)
            withExtendedLifetime(place) {}
        }
        return response
    }

    /// Returns the API's target for the query of a page's stream.
    private static func target(_ items: [(name: String, value: String)]) throws(Problem) -> String {
        let names = items.filter { $0.name == "instance" }.map(\.value)
        guard names.count <= 1 else {
            throw Problem(.invalidParameter, detail: "Parameter 'instance' stands more than once")
        }
        let parameters: StreamParameters
        do {
            parameters = try StreamParameters(
                query: items.filter { $0.name != "instance" }, ofInstance: !names.isEmpty)
        } catch {
            throw Problem(error)
        }
        let path = names.first.map { "/v1/instances/\(PercentEncoding.encode($0))/stream" } ?? "/v1/stream"
        return path + parameters.queryText
    }

    /// Looks each second whether a stream's session goes on, and closes the connection when it does not: no further row
    /// is for its caller.
    private static func cutOff(_ connection: CallerConnection, unless isHeld: @Sendable () -> Bool) async {
        while !Task.isCancelled, isHeld() {
            // The sleep is cancelled with the stream.
            try? await Task.sleep(for: .seconds(1))
        }
        if !Task.isCancelled { connection.cutOff() }
    }
}
