/// Answers in events (server-sent events, WHATWG HTML 9.2), each sent as soon as it is there.
public enum EventStream {
    /// The media type of such a body.
    public static let mediaType = "text/event-stream"
    /// The header in which a client says the `id` that it has seen last.
    public static let lastEventHeader = "Last-Event-ID"
    /// An event that has a macrostep in it.
    public static let transition = "transition"
    /// An event that has a problem in it, which ends the stream. The HTTP status was sent by then.
    public static let problem = "problem"
    /// What stands for the place before the first row.
    public static let start = "start"
}
