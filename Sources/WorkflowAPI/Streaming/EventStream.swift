/// Answers in the form of server-sent events (WHATWG HTML 9.2), each sent immediately.
public enum EventStream {
    /// The media type of such a body.
    public static let mediaType = "text/event-stream"
    /// The header with the last `id` that a client has seen.
    public static let lastEventHeader = "Last-Event-ID"
    /// The type of an event with a macrostep.
    public static let transition = "transition"
    /// The type of an event with a problem, which ends the stream: the HTTP status was sent before.
    public static let problem = "problem"
    /// The text for the place before the first row.
    public static let start = "start"
}
