import ArgumentParser
import WorkflowAPI
import WorkflowClient

/// `wfctl queues`.
struct Queues: Verb {
    static let configuration = CommandConfiguration(
        commandName: "queues", abstract: "Show the queues, the number of effects in each, and their settings.",
        discussion: """
            $ wfctl queues

            READY counts effects that are due, WAITING those that are tried again later, and RUNNING those that a \
            worker has or wfd carries out. FAILED effects need a decision: see 'wfctl effects'. HELD effects cannot \
            start. \(APILimits.countedEffects)+ means that many or more. 'wfctl queue' changes the settings.
            """)

    @Option(parsing: .unconditional, help: ArgumentHelp("Show at most this many queues.", valueName: "n"))
    var limit: Int?

    @OptionGroup var global: GlobalOptions

    func validate() throws { try Least.check("--limit", limit) }

    func run(in session: Session) async throws {
        var printer = ListPrinter(session, columns: Self.columns)
        let isHeld = try await session.withClient { client in
            try await PageWalk(limit: limit).run(address: client.address) { size, page in
                try await client.queues(.init(limit: size, page: page))
            } print: { items in
                try printer.add(items)
            }
            return try await client.ready().held ?? false
        }
        try printer.end()
        if isHeld { try session.say("effects are held: 'wfctl release' lets them start") }
    }

    private static func count(_ title: String, _ number: @escaping @Sendable (QueueItem) -> Int64, isBad: Bool = false)
        -> Table<QueueItem>.Column
    {
        .init(title, style: { isBad && number($0) > 0 ? .bad : nil }) { item in
            let count = number(item)
            return count >= APILimits.countedEffects ? "\(count)+" : String(count)
        }
    }

    private static let columns: [Table<QueueItem>.Column] = [
        .init("QUEUE") { $0.queue },
        count("READY") { $0.ready },
        count("WAITING") { $0.waiting },
        count("RUNNING") { $0.leased + $0.running },
        count("FAILED", { $0.failed }, isBad: true),
        count("HELD", { $0.held }, isBad: true),
        .init("OLDEST DUE", style: { $0.oldestDueInMilliseconds ?? 0 < -60_000 ? .warning : nil }) { item in
            guard let milliseconds = item.oldestDueInMilliseconds else { return "-" }
            // Proof: -.max has a positive counterpart.
            let seconds = abs(max(milliseconds, -.max)) / 1_000 * 1_000
            let text = DurationText.text(milliseconds: seconds)
            return milliseconds > 0 ? "in \(text)" : "\(text) ago"
        },
        .init("SETTINGS", cut: .second, style: { $0.settings.paused ? .bad : nil }) { QueueText.of($0.settings) },
    ]
}

/// The settings of a queue, for people.
enum QueueText {
    /// Returns the settings: `paused, 4 at a time, 100/s`; a dash if nothing is set.
    static func of(_ settings: QueueSettingsItem) -> String {
        var parts: [String] = []
        if settings.paused { parts.append("paused") }
        if let concurrency = settings.concurrency { parts.append("\(concurrency) at a time") }
        if let rate = settings.rate { parts.append(rateText(rate)) }
        return parts.isEmpty ? "-" : parts.joined(separator: ", ")
    }

    static func rateText(_ rate: QueueRate) -> String {
        let span =
            switch rate.milliseconds {
            case 1_000: "s"
            case 60_000: "m"
            case 3_600_000: "h"
            case 86_400_000: "d"
            default: DurationText.text(milliseconds: rate.milliseconds)
            }
        return "\(rate.count)/\(span)"
    }

    /// Parses `100/s`, `5/10m`; `nil` for any other text.
    static func rate(_ text: String) -> QueueRate? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        // Proof: there are two.
        guard parts.count == 2, let count = Int(parts[0]), APILimits.rateCounts.contains(count) else { return nil }
        let digits = parts[1].prefix { $0.isASCII && $0.isNumber }
        guard let factor = digits.isEmpty ? 1 : Int64(digits), factor < 1_000_000 else { return nil }
        let unit: Int64
        switch parts[1].dropFirst(digits.count) {
        case "ms": unit = 1
        case "s": unit = 1_000
        case "m": unit = 60_000
        case "h": unit = 3_600_000
        case "d": unit = 86_400_000
        default: return nil
        }
        let milliseconds = factor * unit
        guard APILimits.rateMilliseconds.contains(Int(milliseconds)) else { return nil }
        return QueueRate(count: count, milliseconds: milliseconds)
    }
}
