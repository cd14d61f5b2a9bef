import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl show`.
struct Show: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an instance as it is now.",
        discussion: "$ wfctl show order-1042")

    @Argument(help: "The instance's name.", completion: Completion.instances.kind)
    var instance: String

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let shown = try await session.withClient { try await $0.instance(instance) }
        try Self.print(shown, in: session)
    }

    /// Returns the effects that the instance waits for: `waits for:  paying of http:pay.example.com:443, attempt 3 in
    /// 12s: http-status: 503`.
    private static func waiting(_ shown: Instance) -> StyledText {
        var text: StyledText = ""
        for (place, effect) in (shown.waitsFor ?? []).enumerated() {
            let error = error(of: effect)
            let why: StyledText = error.isEmpty ? "" : ": \(error, .bad)"
            text =
                text + "\(place == 0 ? "waits for: " : "           ")\(effect.id) of \(effect.queue), "
                + "\(turn(of: effect, isSuspended: shown.status == .suspended))" + why + "\n"
        }
        return text
    }

    /// Returns a skipped timer: `waits for: nothing: its last timer was skipped at 2026-07-31T09:30:00.123Z, 3d late`.
    private static func skipped(_ shown: Instance) -> StyledText {
        guard let timer = shown.timerSkipped else { return "" }
        let rest = timer.accepted.isEmpty ? "nothing" : "\(timer.accepted.joined(separator: ", ")) only"
        let late = DurationText.text(milliseconds: timer.lateMilliseconds)
        return "waits for: \(rest, .warning): its last timer was skipped at \(timer.at.text), \(late) late\n"
    }

    /// Returns the reason why an effect has not ended; empty if the reason no longer matters.
    private static func error(of effect: EffectItem) -> String {
        switch effect.state {
        case .answered: ""
        case .held: ErrorWords.message(of: effect.error)
        case .ready, .leased, .open, .failed: ErrorWords.text(of: effect.error)
        }
    }

    /// Returns the next attempt of an effect: `attempt 2 is due, but its queue is paused`.
    private static func turn(of effect: EffectItem, isSuspended: Bool) -> String {
        let next = effect.attempts + 1
        switch effect.state {
        case .ready where isSuspended && effect.turn != .running: return "attempt \(next) waits for 'wfctl resume'"
        case .ready where effect.turn == .running: return "attempt \(effect.attempts) runs"
        case .ready where effect.dueInMilliseconds <= 0:
            return "attempt \(next) is due"
                + (effect.turn.map { ", but \(EffectWords.reason($0, effect.queue))" } ?? "")
        case .ready:
            return "attempt \(next) in \(DurationText.text(milliseconds: effect.dueInMilliseconds / 1_000 * 1_000))"
        case .leased: return "attempt \(effect.attempts) is with \(effect.worker ?? "a worker")"
        case .open: return "runs"
        case .held: return "held"
        case .failed: return "failed after \(effect.attempts) attempt\(effect.attempts == 1 ? "" : "s")"
        case .answered: return "its result waits"
        }
    }

    /// Prints an instance in its present or an earlier state.
    static func print(_ shown: Instance, in session: Session) throws {
        try session.print(shown) {
            """
            instance:  \(shown.instance)
            machine:   \(shown.machine) version \(shown.version)\(machineSuspension(of: shown))
            status:    \(shown.status.rawValue, StateText.style(of: shown.status))\(suspension(of: shown))
            state:     \(StateText.styled(shown.configuration))\(tags(of: shown))
            seq:       \(shown.seq)
            created:   \(shown.createdAt.text)
            updated:   \(shown.updatedAt.text)
            context:   \(lines: isErased(shown) ? StateText.redacted : IndentedJSON.text(of: shown.context))

            """ + ending(of: shown) + waiting(shown) + skipped(shown)
        }
    }

    /// Returns true if the context of a finished instance was erased.
    private static func isErased(_ shown: Instance) -> Bool {
        shown.redacted == true && shown.context.isEmpty && (shown.status == .done || shown.status == .cancelled)
    }

    private static func tags(of shown: Instance) -> StyledText {
        guard let tags = shown.tags, !tags.isEmpty else { return "" }
        return "\ntags:      \(tags.joined(separator: ", "))"
    }

    private static func machineSuspension(of shown: Instance) -> String {
        shown.machineSuspended.map { ", suspended\(SuspensionText.text($0))" } ?? ""
    }

    private static func suspension(of shown: Instance) -> String {
        shown.suspended.map(SuspensionText.text) ?? ""
    }

    /// Returns the output or the failure of an instance; empty while it runs.
    private static func ending(of shown: Instance) -> StyledText {
        var text: StyledText = ""
        if let output = shown.output { text = "output:    \(lines: IndentedJSON.text(of: output))\n" }
        if shown.status == .failed, shown.failure == nil, shown.redacted == true {
            text = text + "because:   \(StateText.redacted)\n"
        }
        if let failure = shown.failure {
            let event = failure.data.map { "\(failure.event) \(StateText.data($0))" } ?? failure.event
            text =
                text + "failed on: \(event, .bad)\nbecause:   \(failure.detail)\n"
                + "           \(Retry.hint(shown.instance, after: failure.event))\n"
        }
        return text
    }
}
