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

    private let start: StreamParameters
    private let patience: Duration
    private let clock: any Clock<Duration>
    private let address: Address
    private let longest: Int
    private let connect: Connect

    init(
        start: StreamParameters, patience: Duration, clock: any Clock<Duration>, address: Address, longest: Int,
        connect: @escaping Connect
    ) {
        self.start = start
        self.patience = patience
        self.clock = clock
        self.address = address
        self.longest = longest
        self.connect = connect
    }

    /// Returns an iterator that starts at the requested beginning.
    public func makeAsyncIterator() -> Iterator { Iterator(follow: self, parameters: start) }

    /// Reads one connection after another.
    public struct Iterator: AsyncIteratorProtocol {
        private static let firstPause = Duration.milliseconds(100)
        private static let longestPause = Duration.seconds(5)

        private let follow: StreamFollow
        private var parameters: StreamParameters
        private var messages: EventMessages?
        private var hasBeenConnected = false
        private var pause = Self.firstPause
        /// The sum of the pauses since the last element.
        private var paused = Duration.zero

        fileprivate init(follow: StreamFollow, parameters: StreamParameters) {
            self.follow = follow
            self.parameters = parameters
        }

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
                    guard error.isTransient, hasBeenConnected, paused < follow.patience else { throw error.ofRead }
                    try Task.checkCancellation()
                    guard messages == nil else {
                        messages = nil
                        return .cut(error.ofRead)
                    }
                    try await rest()
                }
            }
        }

        private mutating func news(of message: EventMessage) throws -> StreamNews? {
            if message.name == EventStream.problem {
                throw ClientError.problem(try read(message, as: Problem.self))
            }
            paused = .zero
            pause = Self.firstPause
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

        private mutating func rest() async throws {
            try await follow.clock.sleep(for: pause)
            paused += pause
            pause = Swift.min(pause * 2, Self.longestPause)
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
            start: parameters, patience: patience, clock: clock, address: address, longest: limits.lineBytes
        ) { parameters throws(ClientError) in
            let (query, type) = (parameters.queryText, EventStream.mediaType)
            let request =
                if let name {
                    TransportRequest(.streamInstance, name, query: query, accepted: type)
                } else {
                    TransportRequest(.streamAll, query: query, accepted: type)
                }
            return try await bytes(request, as: type)
        }
    }
}
