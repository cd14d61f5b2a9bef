import JSON
import WorkflowAPI

/// How states, values and moves are shown to people.
enum StateText {
    /// The active leaves: `review.legal.pending, review.finance.ok`; `-` when there are none.
    static func leaves(_ paths: [String]) -> String {
        paths.isEmpty ? "-" : paths.joined(separator: ", ")
    }

    /// One state; the root has no path.
    static func path(_ path: String) -> String { path.isEmpty ? "(root)" : path }

    /// In a sentence: `state 'draft'`, or `states 'a', 'b'`.
    static func named(_ paths: [String]) -> String {
        (paths.count == 1 ? "state " : "states ") + paths.map { "'\($0)'" }.joined(separator: ", ")
    }

    /// What an event came with, compact; empty when it came without.
    static func data(_ data: JSONValue?) -> String {
        data.map { JSONWriter.string($0) } ?? ""
    }

    /// What was left and entered, a line each; empty when nobody asked.
    static func detail(exited: [String]?, entered: [String]?) -> String {
        (exited.map { "  exited: \(leaves($0))\n" } ?? "") + (entered.map { "  entered: \(leaves($0))\n" } ?? "")
    }
}
