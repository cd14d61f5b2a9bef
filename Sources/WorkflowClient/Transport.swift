package import WorkflowAPI

/// Carries requests to one daemon. The client's own is HTTP; tests answer from a list.
package protocol Transport: Sendable {
    var address: Address { get }

    /// Sends a request and reads its whole answer, whatever its status is.
    func execute(_ request: TransportRequest) async throws(ClientError) -> TransportAnswer

    /// Sends a request and returns with the head of its answer, whatever its status is; the body is read by whoever
    /// goes through it.
    func stream(_ request: TransportRequest) async throws(ClientError) -> StreamedAnswer

    /// Gives up all connections; nothing may be executed afterwards.
    func shutdown() async
}

/// A request without the transport's own headers.
package struct TransportRequest: Hashable, Sendable {
    package var method: Route.Method
    /// Path and query, encoded.
    package var target: String
    /// Media type and bytes; nil for a request without a body.
    package var body: Body?
    /// How long the daemon may take until its answer begins, beyond the transport's own limit.
    package var extraTime: Duration
    /// The caller's key; nil for none.
    package var key: String?
    /// Whether an answer without what can be large is preferred.
    package var prefersMinimal: Bool
    /// The seq that the instance must have, where no body says it; nil for any.
    package var expectedSeq: Int64?
    /// The media type of the answer that is wanted.
    package var accepted: String

    /// What is sent along.
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

    /// A request of a route.
    ///
    /// - Parameters:
    ///   - names: For the parameters of its path, in their order.
    ///   - query: Encoded, with its question mark; empty for none.
    init(
        _ route: Route, _ names: String..., query: String = "", body: Body? = nil, extraTime: Duration = .zero,
        accepted: String = "application/json", key: String? = nil, prefersMinimal: Bool = false,
        expectedSeq: Int64? = nil
    ) {
        self.init(
            route.method, route.template.path(names) + query, body: body, extraTime: extraTime, accepted: accepted,
            key: key, prefersMinimal: prefersMinimal, expectedSeq: expectedSeq)
    }
}

/// An answer, read to its end.
package struct TransportAnswer: Hashable, Sendable {
    package var status: Int
    /// Without parameters, lower case; nil when the answer has none.
    package var mediaType: String?
    package var body: [UInt8]

    package init(status: Int, mediaType: String?, body: [UInt8]) {
        self.status = status
        self.mediaType = mediaType
        self.body = body
    }
}
