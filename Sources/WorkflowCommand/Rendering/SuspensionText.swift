import WorkflowAPI

/// Since when and why a machine or an instance is suspended, for people.
enum SuspensionText {
    /// ` since 2026-11-26T01:15:00.000Z by uid:0(root) (OPS-14)`.
    static func text(_ suspension: MachineSuspensionItem) -> String {
        text(since: suspension.at, by: suspension.actor, reason: suspension.reason)
    }

    /// The same. What `machine` and `brake` suspend has these words for a reason too: they are said once.
    static func text(_ suspension: InstanceSuspensionItem) -> String {
        text(
            since: suspension.at, by: suspension.actor,
            reason: suspension.reason == suspension.actor ? nil : suspension.reason)
    }

    private static func text(since time: WireTime, by actor: String?, reason: String?) -> String {
        " since \(time.text)" + (actor.map { " by \($0)" } ?? "") + (reason.map { " (\($0))" } ?? "")
    }
}
