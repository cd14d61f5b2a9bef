import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests resets of an instance while the daemon is killed: each is one row, whatever answer its caller got.
///
/// `RESET_KILLS` sets the number of kills (6). `CRASH_SEED` repeats a run.
@Suite(.tags(.heavy)) struct KilledResetsTests {
    private static let machine = """
        id: order
        initial: paying
        context: {n: 0}
        states:
          paying:
            invoke: {id: pay, task: pay, timeout: 1h, onDone: packing}
            on: {add: {actions: {assign: {n: context.n + 1}}}, skip: packing}
            after: {2h: late}
          packing: {invoke: {id: pack, task: pack}, on: {pack: done}}
          late: {}
          done: {type: final}
        """

    @Test(.timeLimit(.minutes(180))) func eachIsOneRow() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["RESET_KILLS"].flatMap { Int($0) } ?? 6
        let seed = environment["CRASH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        let arguments = Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
        var daemon = try await Daemon(arguments: arguments, database: folder.path("wfd.db"))
        _ = try await daemon.saidInTime("apply", try folder.write(Self.machine, to: "order.yaml"))
        _ = try await daemon.said("start", "order", "o")
        _ = try await daemon.said("send", "o", "add")
        for round in 0..<kills {
            _ = try await daemon.said("send", "o", "skip")
            let reset = [
                "reset", "o", "--to", "2", "--invocations", "again", "--reason", "r", "--key", "round-\(round)",
            ]
            let place = ["WFCTL_ADDRESS": "\(daemon.address)"]
            async let asked = DaemonTesting.wfctl(reset, environment: place)
            try await letPass(.milliseconds(Int.random(in: 0...40, using: &random)))
            try await daemon.kill()
            daemon = try await Daemon(arguments: arguments, database: folder.path("wfd.db"))
            let told = try await asked
            let again = try await DaemonTesting.wfctl(reset, environment: place)
            #expect(again.end == .exited(0), "seed \(seed): \(again)")
            // A client that reached no daemon has asked for nothing.
            #expect(told.end == .exited(69) || told.output == again.output, "seed \(seed): \(told), \(again)")
        }
        let rows = try await daemon.json("history", "o").elements
        let keys = rows.filter { $0["kind"] == "reset" }.compactMap { $0["key"].string }
        #expect(keys == (0..<kills).map { "round-\($0)" }, "seed \(seed)")
        #expect(rows.count == 2 + 2 * kills, "seed \(seed)")
        #expect(try await daemon.json("effects", "o").elements.map { $0["id"].string } == ["pay"], "seed \(seed)")
        #expect(try await daemon.saidInTime("verify", "--all").contains("no difference"), "seed \(seed)")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
