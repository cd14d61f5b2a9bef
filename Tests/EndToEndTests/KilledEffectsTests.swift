import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests orders that are paid, packed and shipped, while the daemon, its worker or both are killed again and again.
///
/// `EFFECT_KILLS` sets the number of kills (8). `CRASH_SEED` repeats a run.
@Suite(.tags(.heavy), .enabled(if: TestService.python != nil, "there is no python3 here")) struct KilledEffectsTests {
    @Test(.timeLimit(.minutes(180))) func nothingIsForgottenAndNoKeyHasTwoBodies() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["EFFECT_KILLS"].flatMap { Int($0) } ?? 8
        let seed = environment["CRASH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        let stage = try await EffectTests.Stage()
        var daemon = try await stage.daemon()
        let definition = try stage.folder.write(EffectTests.order(stage.service.ports.http), to: "order.yaml")
        _ = try await daemon.said("apply", definition)
        var worker = try stage.worker(of: daemon)
        var names: [String] = []
        for round in 0..<kills {
            for number in 0..<2 {
                names.append("o-\(round)-\(number)")
                _ = try await daemon.said("start", "order", names[names.count - 1])
            }
            // The pause lets effects of each kind be under way somewhere.
            try await letPass(.milliseconds(Int.random(in: 0...120, using: &random)))
            let victims = Int.random(in: 0..<3, using: &random)
            if victims != 1 {
                try await daemon.kill()
                daemon = try await stage.daemon()
            }
            if victims != 0 {
                worker.signal(SIGKILL)
                _ = try await worker.result()
                worker = try stage.worker(of: daemon)
            }
        }
        // A worker that was killed with its task holds it until its lease runs out.
        try await eventually("all orders to be shipped, seed \(seed)") {
            try await daemon.json("effects").elements.isEmpty
        }
        for name in names {
            let rows = try await daemon.json("history", name).elements
            #expect(
                rows.map { $0["event"].string }
                    == ["init", "done.invoke.paying", "done.invoke.packing", "done.invoke.sending"],
                "\(name), seed \(seed)")
        }
        try await expectOneBodyForEachKey(stage, names, seed)
        worker.signal(SIGTERM)
        _ = try await worker.result()
        #expect(try await daemon.stop().end == .exited(0))
        try stage.expectNoSecret([])
        try await stage.expectWhole()
    }

    private func expectOneBodyForEachKey(
        _ stage: EffectTests.Stage, _ names: [String], _ seed: UInt64
    ) async throws {
        var bodies: [String: Set<String>] = [:]
        var charged: Set<String> = []
        var mails: Set<String> = []
        for request in try await stage.service.recorded() {
            let (path, body) = (request["path"].string ?? "", request["body"].string ?? "")
            bodies[request["headers"]["idempotency-key"].string ?? "", default: []].insert(path + " " + body)
            if path == "/record/mail" {
                mails.insert(body)
            } else if request["status"] == 200 {
                charged.insert(path)
            }
        }
        #expect(bodies.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
        #expect(bodies.count == 2 * names.count, "seed \(seed)")
        #expect(charged.count == names.count && mails.count == names.count, "seed \(seed)")
    }
}
