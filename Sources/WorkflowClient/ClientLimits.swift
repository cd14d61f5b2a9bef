/// The bounds of a client.
public struct ClientLimits: Hashable, Sendable {
    /// For a connection to come about.
    public var connecting: Duration
    /// For one request and its whole answer; the daemon answers in milliseconds unless its disk is in trouble.
    public var answering: Duration
    /// Of one answer: a page of 500 instances with a context of 128 KiB each.
    public var answerBytes: Int

    /// Takes the bounds as they are.
    public init(connecting: Duration = .seconds(5), answering: Duration = .seconds(30), answerBytes: Int = 64 << 20) {
        self.connecting = connecting
        self.answering = answering
        self.answerBytes = answerBytes
    }
}
