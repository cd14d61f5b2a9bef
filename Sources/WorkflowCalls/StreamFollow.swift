public import WorkflowAPI
import WorkflowJSON

/// An element of a stream of macrosteps.
public enum StreamNews: Sendable {
    /// A macrostep; its cursor is the place from which to continue.
    case transition(StreamItem)
    /// All macrosteps up to this cursor were delivered.
    case reached(String)
    /// The connection is lost, and the stream makes another one.
    case cut(ClientError)
}

/// The macrosteps of all instances, or of one instance, as they happen. The sequence ends with an error or with its
/// task.
///
/// The sequence survives restarts of the daemon. After a lost connection, the iterator tries again, at first after 100
/// ms, then at growing intervals up to 5 s. The sequence continues after the last received cursor, so no macrostep is
/// left out or delivered twice. The iterator throws the last error when these intervals add up to `patience`, or at
/// once if there never was a connection. After a restore, the iterator throws `generation-changed`.
public struct StreamFollow: AsyncSequence, Sendable {
    public typealias Element = StreamNews
    typealias Connect = @Sendable (StreamParameters) async throws(ClientError) -> AnswerBytes

    fileprivate let start: StreamParameters
    fileprivate let reconnection: Reconnection
    fileprivate let address: Address
    fileprivate let longest: Int
    fileprivate let connect: Connect

    /// Returns an iterator that starts at the requested beginning.
    public func makeAsyncIterator() -> Iterator {
        Iterator(follow: self, parameters: start, reconnection: reconnection)
    }

    /// Reads one connection after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let follow: StreamFollow
        fileprivate var parameters: StreamParameters
        fileprivate var reconnection: Reconnection
        fileprivate var messages: EventMessages?
        fileprivate var hasBeenConnected = false

        /// Returns the next element; waits for the element.
        public mutating func next() async throws -> StreamNews? {
            while true {
                try Task.checkCancellation()
                do {
                    if messages == nil {
                        let bytes = try await follow.connect(parameters)
                        messages = EventMessages(ByteLines(bytes, of: follow.address, longest: follow.longest))
                        hasBeenConnected = true
                    }
                    guard let message = try await messages?.next() else {
                        throw ClientError.answerLost(follow.address, reason: "the stream has ended")
                    }
                    if let news = try news(of: message) { return news }
                } catch let error as ClientError {
                    guard error.isTransient, hasBeenConnected, !reconnection.isSpent else { throw error.ofRead }
                    try Task.checkCancellation()
                    guard messages == nil else {
                        messages = nil
                        return .cut(error.ofRead)
                    }
                    try await reconnection.rest()
                }
            }
        }

        private mutating func news(of message: EventMessage) throws -> StreamNews? {
            if message.name == EventStream.problem {
                throw ClientError.problem(try read(message, as: Problem.self))
            }
            reconnection.reached()
            if let id = message.id { parameters.after = id }
            if message.name == EventStream.transition { return .transition(try read(message, as: StreamItem.self)) }
            return message.data.isEmpty ? message.id.map { .reached($0) } : nil
        }

        private func read<Value: WireObject>(_ message: EventMessage, as type: Value.Type) throws -> Value {
            do {
                return try Value(json: try JSONReader.value(from: message.data), unknownFields: .ignored)
            } catch {
                throw ClientError.protocolViolation(follow.address, reason: "an event of it: \(error)")
            }
        }
    }
}

extension WorkflowClient {
    /// Follows the macrosteps of all instances, or of one; by default from now on, unless `parameters` name a
    /// beginning.
    ///
    /// The sequence pauses for a daemon that does not answer, for `patience` in total, measured by `clock`.
    public func followTransitions(
        ofInstance name: String? = nil, _ parameters: StreamParameters = StreamParameters(),
        patience: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock()
    ) -> StreamFollow {
        StreamFollow(
            start: parameters, reconnection: Reconnection(patience: patience, clock: clock), address: address,
            longest: limits.lineBytes
        ) { parameters throws(ClientError) in
            let (query, type) = (parameters.queryText, EventStream.mediaType)
            let request =
                if let name {
                    try TransportRequest(.streamInstance, name, query: query, accepted: type)
                } else {
                    try TransportRequest(.streamAll, query: query, accepted: type)
                }
            return try await bytes(request, as: type)
        }
    }
}
