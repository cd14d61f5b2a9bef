/// Says on the error stream how far a long work is, and how long it will still take.
///
/// Work of less than a second says nothing. A terminal has one line that is written over; elsewhere there is a line
/// every ten seconds.
struct Progress {
    /// What is counted.
    enum Unit {
        case bytes
        /// Such as `events`.
        case things(String)
    }

    private static let silence = Duration.seconds(1)
    private static let terminalInterval = Duration.milliseconds(100)
    private static let logInterval = Duration.seconds(10)

    private let environment: CommandEnvironment
    private let unit: Unit
    private let begun: Duration
    private var next: Duration
    /// Where the estimate begins: the work has several parts, and each has its own speed.
    private var part: (name: String, begun: Duration, done: Int64)?
    private var hasLine = false

    init(_ session: Session, unit: Unit) {
        environment = session.environment
        self.unit = unit
        begun = environment.uptime()
        next = begun + Self.silence
    }

    /// Tells how far a part of the work is; may be called as often as one likes. A total of 0 is unknown.
    ///
    /// - Parameter partUnit: What this part counts; nil for what the others count.
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

    /// Takes the line of a terminal away; to be called before anything else is said.
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

    /// The time left, at the speed of this part of the work so far.
    private func rest(_ done: Int64, _ total: Int64, _ now: Duration) -> String {
        guard let part, done > part.done, total > done else { return "" }
        let seconds = (now - part.begun) / .seconds(1) * Double(total - done) / Double(done - part.done)
        return ", \(DurationText.text(seconds: seconds.rounded(.up))) left"
    }
}

/// Sizes for people.
enum ByteText {
    /// `512 B`, `26.4 MiB`.
    static func text(_ bytes: Int64) -> String {
        guard bytes >= 1_024 else { return "\(bytes) B" }
        var unit = 0
        var tenths = bytes * 10 / 1_024
        while tenths >= 10_240, unit < 3 {
            tenths /= 1_024
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(["KiB", "MiB", "GiB", "TiB"][unit])"
    }
}
