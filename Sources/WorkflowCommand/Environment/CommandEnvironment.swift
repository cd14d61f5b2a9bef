package import WorkflowClient

/// The outside world of a command line. The executable passes the process's own environment; tests pass theirs.
package struct CommandEnvironment: Sendable {
    /// The environment variables.
    package var variables: [String: String]
    /// The stream for data only.
    package var output: any TextSink
    /// The stream for everything that is not data.
    package var errors: any TextSink
    package var files: any FileAccess
    /// Makes a client for a daemon; the client need not connect yet.
    package var connect: @Sendable (Address, ClientAccess) throws -> WorkflowClient
    /// Asks for a secret on the terminal, without showing it; returns `nil` without a terminal.
    package var askSecret: @Sendable (_ prompt: String) -> String?
    /// Makes a key that was never used.
    package var makeKey: @Sendable () -> String
    /// Measures the time since some moment; only differences are meaningful.
    package var uptime: @Sendable () -> Duration
    /// Starts to catch the signals that ask the process to end, and yields an element for each.
    package var interruptions: @Sendable () -> AsyncStream<Void>

    package init(
        variables: [String: String], output: any TextSink, errors: any TextSink, files: any FileAccess,
        connect: @escaping @Sendable (Address, ClientAccess) throws -> WorkflowClient,
        askSecret: @escaping @Sendable (_ prompt: String) -> String? = { _ in nil },
        makeKey: @escaping @Sendable () -> String,
        uptime: @escaping @Sendable () -> Duration = Self.sinceStart(),
        interruptions: @escaping @Sendable () -> AsyncStream<Void> = { AsyncStream { _ in } }
    ) {
        self.variables = variables
        self.output = output
        self.errors = errors
        self.files = files
        self.connect = connect
        self.askSecret = askSecret
        self.makeKey = makeKey
        self.uptime = uptime
        self.interruptions = interruptions
    }

    /// Returns a function that measures the time since this call.
    package static func sinceStart() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { .now - start }
    }
}

/// A stream of text for a reader.
package protocol TextSink: Sendable {
    /// True if the stream is a terminal.
    var isTerminal: Bool { get }

    /// The width of the terminal; `nil` if there is none or its width is unknown.
    var columns: Int? { get }

    /// Writes the whole text before it returns; throws `OutputClosed` if the reader has gone.
    func write(_ text: String) throws

    /// Writes bytes that are not text, in the same way.
    func write(_ bytes: [UInt8]) throws
}

/// The reader of the output has gone, as `head` does.
package struct OutputClosed: Error {
    package init() {}
}

/// The files that a command line reads and writes.
package protocol FileAccess: Sendable {
    /// Returns the whole content of a file; `-` is standard input. Throws `CommandFailure` if the file cannot be read
    /// or is longer than `limit` bytes.
    func read(_ path: String, limit: Int) throws -> [UInt8]

    /// Returns the whole content of a file with a token; refuses a file that others may use.
    func readPrivate(_ path: String, limit: Int) throws -> [UInt8]

    /// Returns the lines of a file, one after another; `-` is standard input. Throws `CommandFailure` if the file
    /// cannot be read.
    func lines(_ path: String) throws -> any LineSource

    /// Returns true if something has this path.
    func exists(_ path: String) -> Bool

    /// Creates a folder for its owner alone, with the folders that it lies in, unless it exists.
    func createFolder(_ path: String) throws

    /// Creates a file, which gets its name when it is committed. Only its owner may read a private file.
    func create(_ path: String, isPrivate: Bool) throws -> any NewFile
}

/// A source of a file's lines.
package protocol LineSource: AnyObject {
    /// The size of the file in bytes; `nil` if its end is not known in advance.
    var size: Int64? { get }
    /// The number of bytes that were returned.
    var position: Int64 { get }

    /// Returns true if the next line, or the end, is available without waiting for the file's writer. Throws
    /// `CommandFailure` if the file cannot be read.
    func isNextThere(limit: Int) throws -> Bool

    /// Returns the next line without its end, or `nil` after the last line. Throws `CommandFailure` if the file cannot
    /// be read or the line is longer than `limit` bytes.
    func next(limit: Int) throws -> [UInt8]?
}
