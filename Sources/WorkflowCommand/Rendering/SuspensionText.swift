import WorkflowAPI

/// Since when and why a machine is suspended, for people.
enum SuspensionText {
    /// ` since 2026-11-26T01:15:00.000Z by uid:0(root) (OPS-14)`.
    static func text(_ suspension: MachineSuspensionItem) -> String {
        let actor = suspension.actor.map { " by \($0)" } ?? ""
        return " since \(suspension.at.text)\(actor)" + (suspension.reason.map { " (\($0))" } ?? "")
    }
}
