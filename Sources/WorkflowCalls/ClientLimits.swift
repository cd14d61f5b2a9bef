/// The limits of a client.
public struct ClientLimits: Hashable, Sendable {
    /// The longest time for making a connection.
    public var connecting: Duration
    /// The longest time until an answer begins. The daemon answers in milliseconds unless its disk is in trouble.
    public var answering: Duration
    /// The longest time between two parts of an answer. A working daemon sends something every few seconds, and a
    /// request for history may wait for a minute.
    public var silence: Duration
    /// The largest number of bytes of one answer: a page of 500 instances with a context of 128 KiB each.
    public var answerBytes: Int
    /// The largest number of bytes of one line of an answer in lines: an instance and its description.
    public var lineBytes: Int

    /// The longest time for repeating a request with a key and an unknown outcome: the sum of the pauses between
    /// attempts.
    public var patience: Duration

    /// Creates limits of the given values, unchecked.
    public init(
        connecting: Duration = .seconds(5), answering: Duration = .seconds(30), silence: Duration = .seconds(120),
        answerBytes: Int = 64 << 20, lineBytes: Int = 4 << 20, patience: Duration = .seconds(10)
    ) {
        self.connecting = connecting
        self.answering = answering
        self.silence = silence
        self.answerBytes = answerBytes
        self.lineBytes = lineBytes
        self.patience = patience
    }
}
