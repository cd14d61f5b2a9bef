public import WorkflowAPI
import WorkflowJSON

/// What a stream of macrosteps tells.
public enum StreamNews: Sendable {
    /// A macrostep; its cursor is where to go on.
    case transition(StreamItem)
    /// Everything up to this cursor was told.
    case reached(String)
    /// The connection is gone, and another one is tried.
    case cut(ClientError)
}

/// The macrosteps of all instances, or of one, as they happen; it ends with an error or with its task.
///
/// It outlives restarts of the daemon: when the connection is gone it tries again, at first after 100 ms, then at ever
/// longer intervals up to 5 s, and goes on behind the last cursor that it was told. No macrostep is left out or given
/// twice. It gives up with the last error when these intervals add up to `patience`, and at once when it has never been
/// connected. After a restore it ends with `generation-changed`.
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

    /// Begins again where it was asked to begin.
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
        /// The sum of the pauses since something was told.
        private var paused = Duration.zero

        fileprivate init(follow: StreamFollow, parameters: StreamParameters) {
            self.follow = follow
            self.parameters = parameters
        }

        /// The next news; waits until there are some.
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
    /// Follows what happens to all instances, or to one; from now on where `parameters` say nothing else.
    ///
    /// It pauses for a daemon that does not answer, for `patience` in sum and by `clock`.
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
