import NIOCore

/// The limits of forwarding.
enum ForwardLimits {
    /// The number of looks at the directory for one request, after which the caller is asked to try again.
    static let looks = 2
    /// The bytes of a body that arrives while it is sent, which are kept for another attempt.
    static let keptBytes = 1 << 20
    /// The bytes of an answer that is read to its end before it begins. So an owner that stops in the middle of it does
    /// not leave the caller with half an answer.
    static let wholeBytes = 64 << 10
    /// The longest time from the begin of a connection to the end of its handshake.
    static let connecting: TimeAmount = .seconds(1)
    /// The longest silence of an owner. It is longer than any wait, and than the pauses of streams.
    static let silence: TimeAmount = .seconds(120)
    /// The longest time to the beginning of an answer.
    static let answering: TimeAmount = .hours(1)
    /// The idle time after which a kept connection is closed, shorter than at the server.
    static let idle: TimeAmount = .seconds(30)
    /// The time after which a request is watched: its caller may leave, and the data may move.
    static let unwatched: Duration = .seconds(1)
    /// The interval between two looks at the place of a watched request.
    static let look: Duration = .seconds(1)
    /// The time for answers after the data has moved to another owner, or this daemon was told to stop.
    static let grace: Duration = .seconds(2)
}
