package import WorkflowClient

/// All that a command line touches outside of itself. The executable passes the process's own; tests pass theirs.
package struct CommandEnvironment: Sendable {
    /// The environment variables.
    package var variables: [String: String]
    /// For data, and for nothing else.
    package var output: any TextSink
    /// For everything that is not data.
    package var errors: any TextSink
    package var files: any FileAccess
    /// Makes a client for a daemon; it need not connect yet.
    package var connect: @Sendable (Address) -> WorkflowClient
    /// Makes a key that was never used.
    package var makeKey: @Sendable () -> String
    /// The time since some moment; only differences mean something.
    package var uptime: @Sendable () -> Duration
    /// Begins to take the signals that ask the process to end: an element for each.
    package var interruptions: @Sendable () -> AsyncStream<Void>

    package init(
        variables: [String: String], output: any TextSink, errors: any TextSink, files: any FileAccess,
        connect: @escaping @Sendable (Address) -> WorkflowClient, makeKey: @escaping @Sendable () -> String,
        uptime: @escaping @Sendable () -> Duration = Self.sinceStart(),
        interruptions: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { _ in } }
    ) {
        self.variables = variables
        self.output = output
        self.errors = errors
        self.files = files
        self.connect = connect
        self.makeKey = makeKey
        self.uptime = uptime
        self.interruptions = interruptions
    }

    /// The time since now.
    package static func sinceStart() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { .now - start }
    }
}

/// A stream of text that somebody reads.
package protocol TextSink: Sendable {
    /// Whether a person sees it at once.
    var isTerminal: Bool { get }

    /// How wide the terminal is; nil when there is none, and when it does not say.
    var columns: Int? { get }

    /// Writes all of the text before it returns; throws `OutputClosed` when nobody reads any more.
    func write(_ text: String) throws

    /// The same for bytes that are no text.
    func write(_ bytes: [UInt8]) throws
}

/// The reader of the output went away, as `head` does.
package struct OutputClosed: Error {
    package init() {}
}

/// The files that a command line reads and writes.
package protocol FileAccess: Sendable {
    /// The whole content of a file; `-` is standard input. Throws `CommandFailure` when it cannot be read or is longer
    /// than `limit` bytes.
    func read(_ path: String, limit: Int) throws -> [UInt8]

    /// The lines of a file, one after another; `-` is standard input. Throws `CommandFailure` when it cannot be read.
    func lines(_ path: String) throws -> any LineSource

    /// Whether something has this path.
    func exists(_ path: String) -> Bool

    /// Begins a file; it has its name when it is committed. Nobody but its owner may read one that is private.
    func create(_ path: String, isPrivate: Bool) throws -> any NewFile
}

/// Gives the lines of a file.
package protocol LineSource: AnyObject {
    /// How many bytes the file has; nil for one that has no end before it comes.
    var size: Int64? { get }
    /// How many bytes have been given.
    var position: Int64 { get }

    /// Whether the next line, or the end, can be had without waiting for whoever writes the file. Throws
    /// `CommandFailure` when it cannot be read.
    func isNextThere(limit: Int) throws -> Bool

    /// The next line without its end; nil after the last one. Throws `CommandFailure` when it cannot be read, or is
    /// longer than `limit` bytes.
    func next(limit: Int) throws -> [UInt8]?
}
