/// The bounds of a client.
public struct ClientLimits: Hashable, Sendable {
    /// For a connection to come about.
    public var connecting: Duration
    /// Until the answer to a request begins; the daemon answers in milliseconds unless its disk is in trouble.
    public var answering: Duration
    /// Between two parts of an answer. The daemon says something every few seconds while it works, and a request for
    /// history may wait for a minute.
    public var silence: Duration
    /// Of one answer: a page of 500 instances with a context of 128 KiB each.
    public var answerBytes: Int
    /// Of one line of an answer in lines: an instance and what is said about it.
    public var lineBytes: Int

    /// How long a request with a key is repeated whose outcome is unknown; the pauses between the tries, in sum.
    public var patience: Duration

    /// Takes the bounds as they are.
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
