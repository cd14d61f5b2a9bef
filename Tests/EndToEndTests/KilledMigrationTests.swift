import DaemonTesting
import Foundation
import GRDB
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests migrations and undos between events of other clients, while the daemon is killed again and again. Each request
/// has one row, and no instance is between two versions.
///
/// `MIGRATION_KILLS` sets the number of kills (6). `CRASH_SEED` repeats a run.
@Suite(.tags(.heavy)) struct KilledMigrationTests {
    private static let first = """
        id: order
        initial: packing
        context: {n: 0, divisor: 0}
        states:
          packing:
            invoke: {id: pack, task: pack}
            on:
              add: {actions: {assign: {n: context.n + 1}}}
              break: {actions: [{send: bad}, {send: add}]}
              bad: {actions: {assign: {divisor: "event.at > instance.startedAt + duration('300h') ? 1 : 1 / 0"}}}
            after: {2h: late}
          late: {}
        """
    private static let second = """
        id: order
        initial: fulfil
        context: {n: 0, divisor: 0, who: nobody}
        states:
          fulfil:
            initial: packing
            states:
              packing:
                invoke: {id: pack, task: pack}
                on:
                  add: {actions: {assign: {n: context.n + 2}}}
                  break: {actions: {send: bad}}
                  bad: {actions: {assign: {divisor: "1"}}}
                after: {2h: late, 5h: late}
                initial: plain
                states: {plain: {}}
              late: {}
        """
    private static let forward = #"{"packing": "fulfil.packing", "late": "fulfil.late"}"#
    private static let names = (1...6).map { "order-\($0)" }
    /// The kills on one file. A file is checked whole after each kill, so it must not grow for ever.
    private static let killsPerFile = 10

    private static func next(_ random: inout SeededRandom) -> (target: String, body: String?) {
        let name = names.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<15, using: &random) {
        case 0..<3: return (name + "/events", #"{"event": "add"}"#)
        case 3: return (name + "/events", #"{"event": "break"}"#)
        case 4: return (name + "/retry", #"{"reason": "r"}"#)
        case 5..<8:
            return (name + "/migrate", #"{"reason": "r", "to": 2, "map": \#(forward)}"#)
        case 8..<10:
            let back = #"{"fulfil.packing": "packing", "fulfil.packing.plain": "packing", "fulfil.late": "late"}"#
            return (name + "/migrate", #"{"reason": "r", "to": 1, "map": \#(back), "drop": ["who"]}"#)
        case 10:
            return (name + "/migrate", #"{"reason": "r", "to": 2, "map": \#(forward), "retry": true}"#)
        default: return (name + "/undo", #"{"reason": "r"}"#)
        }
    }

    @Test(.timeLimit(.minutes(180))) func eachIsOneRowAndNoInstanceIsBetweenVersions() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["MIGRATION_KILLS"].flatMap { Int($0) } ?? 6
        let seed = environment["CRASH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var (all, unanswered, carriedOut): ([KeyedRequest], Int, Int) = ([], 0, 0)
        var counts: [String: Int] = [:]
        var site = try await Site()
        for round in 0..<kills {
            if round > 0, round % Self.killsPerFile == 0 {
                #expect(try await site.daemon.stop().end == .exited(0))
                site = try await Site()
                all = []
            }
            let made = try await site.daemon.killed(
                round: round, seed: seed, clients: 4, mostSteps: 240, next: Self.next)
            site.daemon = try await Daemon(in: site.folder)
            let lost = made.filter { $0.told == nil }.map(\.key)
            let (again, mistakes) = try await site.daemon.repeated(made)
            #expect(mistakes == [], "round \(round), seed \(seed)")
            unanswered += lost.count
            carriedOut += again.count { lost.contains($0.key) && $0.told?.isAccepted == true }
            all += again
            for request in again where request.told?.isAccepted == true { counts[request.verb, default: 0] += 1 }
            let found = try Self.mistakes(in: site.daemon.database, all)
            #expect(found == [], "round \(round), seed \(seed)")
            let verified = try await site.daemon.saidInTime("verify", "--all")
            #expect(verified.hasSuffix("no difference\n"), "round \(round), seed \(seed)")
        }
        #expect(try await site.daemon.stop().end == .exited(0))
        print(
            "migrations: seed \(seed), \(kills) kills, "
                + counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
                + ", \(unanswered) without answer, \(carriedOut) of these done by then or again")
        #expect(counts["migrate"] ?? 0 > kills / 2 && counts["undo"] ?? 0 > 0)
    }

    private struct Site {
        let folder: TemporaryFolder
        var daemon: Daemon

        init() async throws {
            folder = try TemporaryFolder()
            daemon = try await Daemon(in: folder)
            _ = try await daemon.saidInTime("apply", folder.write(first, to: "order.yaml"))
            for name in names { _ = try await daemon.said("start", "order", name) }
            _ = try await daemon.saidInTime("apply", folder.write(second, to: "order2.yaml"))
        }
    }

    /// Returns the differences between the rows and the requests with their answers. Other tests check that the rows
    /// fold.
    private static func mistakes(in path: String, _ requests: [KeyedRequest]) throws -> [String] {
        try DatabaseFile(path).read { database in
            var mistakes = try String.fetchAll(
                database,
                sql: """
                    SELECT i.name || ' has not the version of its last row' FROM instance i
                    JOIN journal j ON j.position = i.head WHERE i.machine_id <> j.machine_id OR i.seq <> j.seq
                    UNION ALL SELECT i.name || ' has not one row a seq' FROM instance i
                    WHERE i.seq <> (SELECT count(*) FROM journal j WHERE j.instance_id = i.id)
                    UNION ALL SELECT i.name || ' seq ' || j.seq || ' went over alone' FROM journal j
                    JOIN instance i ON i.id = j.instance_id
                    WHERE j.kind = 'migrated' AND json_extract(j.data, '$.then') IS NOT NULL
                        AND NOT EXISTS (SELECT 1 FROM journal k WHERE k.previous = j.position AND k.kind = 'retried')
                    UNION ALL SELECT i.name || ' has not its one effect' FROM instance i
                    WHERE 1 <> (SELECT count(*) FROM effect e WHERE e.instance_id = i.id)
                    """)
            let kinds = try Row.fetchAll(
                database,
                sql: """
                    SELECT CAST(substr(j.key, 2) AS TEXT) AS key, group_concat(i.name || ' ' || j.kind) AS kinds FROM journal j
                    JOIN instance i ON i.id = j.instance_id WHERE j.key IS NOT NULL AND j.kind <> 'started'
                    GROUP BY 1
                    """
            ).reduce(into: [String: String]()) { $0[$1["key"]] = $1["kinds"] }
            for request in requests {
                let expected = request.told?.isAccepted == true ? "\(request.instance) \(request.kind)" : nil
                let found = kinds[request.key]
                // A retry that fails again makes a row of kind 'failed'.
                let isSame = found == expected || (request.verb == "retry" && found == "\(request.instance) failed")
                if !isSame {
                    mistakes.append(
                        "\(request.target) (key \(request.key)) was told \(request.told as Any), and has the rows "
                            + "'\(found ?? "")'")
                }
            }
            return mistakes
        }
    }
}

extension KeyedRequest {
    /// The last part of the target.
    fileprivate var verb: String { String(target.drop { $0 != "/" }.dropFirst()) }

    /// The kind of the request's row.
    fileprivate var kind: String {
        switch verb {
        case "migrate": "migrated"
        case "undo": "reset"
        case "retry": "retried"
        default: "event"
        }
    }
}
