import WorkflowAPI

/// The begin and the reason of a suspension, for people.
enum SuspensionText {
    /// Returns the text: ` since 2026-11-26T01:15:00.000Z by uid:0(root) (OPS-14)`.
    static func text(_ suspension: MachineSuspensionItem) -> String {
        text(since: suspension.at, by: suspension.actor, reason: suspension.reason)
    }

    /// Returns the text for an instance. If `machine` or `brake` suspended the instance, the actor and the reason are
    /// equal and printed once.
    static func text(_ suspension: InstanceSuspensionItem) -> String {
        text(
            since: suspension.at, by: suspension.actor,
            reason: suspension.reason == suspension.actor ? nil : suspension.reason)
    }

    private static func text(since time: WireTime, by actor: String?, reason: String?) -> String {
        " since \(time.text)" + (actor.map { " by \($0)" } ?? "") + (reason.map { " (\($0))" } ?? "")
    }
}
