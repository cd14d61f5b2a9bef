import WorkflowTerminal

/// Reports the progress of long work and its remaining time on the error stream.
///
/// Work of less than a second reports nothing. A terminal has one line that is overwritten; other streams get a line
/// every ten seconds.
struct Progress {
    /// The unit of the counts.
    enum Unit {
        case bytes
        /// A plural noun such as `events`.
        case things(String)
    }

    private static let silence = Duration.seconds(1)
    private static let terminalInterval = Duration.milliseconds(100)
    private static let logInterval = Duration.seconds(10)

    private let environment: CommandEnvironment
    private let unit: Unit
    private let begun: Duration
    private var next: Duration
    /// The begin of the estimate: the work has several parts, each with its own speed.
    private var part: (name: String, begun: Duration, done: Int64)?
    private var hasLine = false

    init(_ session: Session, unit: Unit) {
        environment = session.environment
        self.unit = unit
        begun = environment.uptime()
        next = begun + Self.silence
    }

    /// Reports the progress of a part of the work; may be called at any rate. A total of 0 is unknown.
    ///
    /// - Parameter partUnit: The unit of this part; `nil` for that of the others.
    mutating func show(_ name: String, done: Int64, total: Int64, in partUnit: Unit? = nil) throws {
        let now = environment.uptime()
        if part?.name != name { part = (name, now, done) }
        guard now >= next else { return }
        let isTerminal = environment.errors.isTerminal
        next = now + (isTerminal ? Self.terminalInterval : Self.logInterval)
        let text = "\(name) \(amount(done, of: total, partUnit ?? unit))\(rest(done, total, now))"
        try environment.errors.write(isTerminal ? "\r\(text)\u{1B}[K" : text + "\n")
        hasLine = isTerminal
    }

    /// Clears the terminal's line; call `end` before any other output.
    mutating func end() throws {
        if hasLine { try environment.errors.write("\r\u{1B}[K") }
        hasLine = false
    }

    private func amount(_ done: Int64, of total: Int64, _ unit: Unit) -> String {
        let percent = total > 0 ? " (\(min(100, done * 100 / total)) %)" : ""
        return switch unit {
        case .bytes where total == 0: ByteText.text(done)
        case .things(let name) where total == 0: "\(done) \(name)"
        case .bytes: "\(ByteText.text(done)) of \(ByteText.text(total))\(percent)"
        case .things(let name): "\(done) of \(total) \(name)\(percent)"
        }
    }

    /// Returns the remaining time, at the speed of this part of the work so far.
    private func rest(_ done: Int64, _ total: Int64, _ now: Duration) -> String {
        guard let part, done > part.done, total > done else { return "" }
        let seconds = (now - part.begun) / .seconds(1) * Double(total - done) / Double(done - part.done)
        return ", \(DurationText.text(seconds: seconds.rounded(.up))) left"
    }
}
