import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests `wfctl stats` against a daemon that is killed, compared with the histories of all instances.
@Suite(.timeLimit(.minutes(20))) struct StatsTests {
    private static let definition = """
        id: order
        initial: draft
        context: {n: 0}
        states:
          draft: {on: {submit: review, note: {}}}
          review:
            initial: legal
            states: {legal: {on: {ok: money}}, money: {on: {ok: legal}}}
            on: {back: draft, done: shipped, break: {actions: {send: boom}}, boom: {actions: {assign: {n: 1 / 0}}}}
            after: {PT72H: draft}
          shipped: {type: final}
        """

    /// Counts entered states and taken transitions in histories.
    private static func counts(_ daemon: Daemon, _ names: [String]) async throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for name in names {
            for row in try await daemon.json("history", name).elements {
                let (from, to) = (row["from"].elements, row["to"].elements)
                func active(_ leaves: [JSONValue]) -> Set<String> {
                    Set(leaves.compactMap(\.string).flatMap { $0.hasPrefix("review.") ? [$0, "review"] : [$0] })
                }
                for state in active(to).subtracting(active(from)) { counts["visits \(state)", default: 0] += 1 }
                for state in active(from).subtracting(active(to)) { counts["stays \(state)", default: 0] += 1 }
                counts["rows", default: 0] += 1
                if row["kind"] == "failed" {
                    counts["failed", default: 0] += 1
                } else {
                    counts["\(row["event"]) \(from) \(to)", default: 0] += 1
                }
            }
        }
        return counts
    }

    /// Returns what `stats` says, in the same form.
    private static func told(_ stats: JSONValue) -> [String: Int64] {
        var counts: [String: Int64] = [:]
        func add(_ name: String, _ count: JSONValue) {
            if case .int(let count) = count, count > 0 { counts[name, default: 0] += count }
        }
        add("rows", stats["rows"])
        for state in stats["states"].elements {
            add("visits \(state["state"].string ?? "")", state["visits"])
            add("stays \(state["state"].string ?? "")", state["stays"])
        }
        for way in stats["transitions"].elements {
            add("\(way["event"]) \(way["from"].elements) \(way["to"].elements)", way["count"])
        }
        for cause in stats["failures"].elements { add("failed", cause["count"]) }
        return counts
    }

    @Test func aKilledDaemonCountsAnewAndThenOnlyWhatIsNew() async throws {
        let folder = try TemporaryFolder()
        let arguments =
            Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
            + ["--clock", "virtual"]
        var daemon = try await Daemon(arguments: arguments, database: folder.path("wfd.db"))
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "order.yaml"))
        let names = (1...6).map { "order-\($0)" }
        let events = ["submit", "ok", "ok", "back", "note", "submit", "done", "break"]
        for (number, name) in names.enumerated() {
            _ = try await daemon.said("start", "order", name)
            for event in events.prefix(number + 2) { _ = try await daemon.wfctl("send", name, event) }
            _ = try await daemon.said("clock", "advance", "1h")
        }
        _ = try await daemon.wfctl("send", "order-1", "break")
        _ = try await daemon.said("clock", "advance", "80h")
        let first = try await daemon.json("stats", "order")
        #expect(try await Self.counts(daemon, names) == Self.told(first))
        #expect(first["read"] == first["rows"] && first["complete"] == true)
        let again = try await daemon.json("stats", "order")
        #expect(again["read"] == 0 && again["states"] == first["states"])
        try await daemon.kill()
        daemon = try await Daemon(arguments: arguments, database: folder.path("wfd.db"))
        let anew = try await daemon.json("stats", "order")
        #expect(anew["read"] == first["rows"] && anew["transitions"] == first["transitions"])
        #expect(anew["states"] == first["states"])
        _ = try await daemon.said("start", "order", "order-7")
        let next = try await daemon.json("stats", "order")
        #expect(next["read"] == 1)
        #expect(try await Self.counts(daemon, names + ["order-7"]) == Self.told(next))
        let unknown = try await daemon.wfctl("stats", "ordr")
        #expect(unknown.end == .exited(4))
        #expect(unknown.errors == "error: There is no machine 'ordr'\n  did you mean 'order'?\n")
    }
}
