package import WorkflowAPI

/// Carries requests to one daemon. The client uses HTTP; tests answer from a list.
package protocol Transport: Sendable {
    var address: Address { get }

    /// Sends a request and reads its whole answer, whatever its status is.
    func execute(_ request: TransportRequest) async throws(ClientError) -> TransportAnswer

    /// Sends a request and returns with the head of its answer, whatever its status is. The caller reads the body by
    /// iteration.
    func stream(_ request: TransportRequest) async throws(ClientError) -> StreamedAnswer

    /// Returns a transport to the same daemon with connections of its own.
    func another() -> any Transport

    /// Closes all connections; no request may follow.
    func shutdown() async
}

/// A request without the transport's own headers.
package struct TransportRequest: Hashable, Sendable {
    package var method: Route.Method
    /// The path and the query, encoded.
    package var target: String
    /// The media type and the bytes; `nil` for a request without a body.
    package var body: Body?
    /// The time that the daemon may take until its answer begins, beyond the transport's own limit.
    package var extraTime: Duration
    /// The caller's key; `nil` for none.
    package var key: String?
    /// True if the caller prefers an answer without potentially large parts.
    package var prefersMinimal: Bool
    /// The seq that the instance must have, for a request without it in the body; `nil` for any.
    package var expectedSeq: Int64?
    /// The accepted media type of the answer.
    package var accepted: String

    /// The body of a request.
    package struct Body: Hashable, Sendable {
        package var mediaType: String
        package var bytes: [UInt8]

        package init(mediaType: String, bytes: [UInt8]) {
            self.mediaType = mediaType
            self.bytes = bytes
        }
    }

    package init(
        _ method: Route.Method, _ target: String, body: Body? = nil, extraTime: Duration = .zero,
        accepted: String = "application/json", key: String? = nil, prefersMinimal: Bool = false,
        expectedSeq: Int64? = nil
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.extraTime = extraTime
        self.accepted = accepted
        self.key = key
        self.prefersMinimal = prefersMinimal
        self.expectedSeq = expectedSeq
    }

    /// Creates a request for a route. Refuses an empty name, which would make the path of another resource.
    ///
    /// - Parameters:
    ///   - names: The values of the path's parameters, in order.
    ///   - query: The query, encoded, with its question mark; empty for none.
    // Not inlined: each of some sixty calls would have a copy.
    @inline(never)
    init(
        _ route: Route, _ names: String..., query: String = "", body: Body? = nil, extraTime: Duration = .zero,
        accepted: String = "application/json", key: String? = nil, prefersMinimal: Bool = false,
        expectedSeq: Int64? = nil
    ) throws(ClientError) {
        for (kind, name) in zip(route.template.parameters, names) where name.isEmpty {
            throw .problem(Problem(.invalidName, detail: "The name of the \(kind) is empty"))
        }
        self.init(
            route.method, route.template.path(names) + query, body: body, extraTime: extraTime, accepted: accepted,
            key: key, prefersMinimal: prefersMinimal, expectedSeq: expectedSeq)
    }
}

/// An answer that was read to its end.
package struct TransportAnswer: Hashable, Sendable {
    package var status: Int
    /// The media type without parameters, in lower case; `nil` if the answer has none.
    package var mediaType: String?
    package var body: [UInt8]

    package init(status: Int, mediaType: String?, body: [UInt8]) {
        self.status = status
        self.mediaType = mediaType
        self.body = body
    }
}
