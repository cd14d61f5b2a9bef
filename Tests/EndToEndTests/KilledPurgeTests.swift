import DaemonTesting
import Foundation
import GRDB
import Testing
import ThreadTesting
import WorkflowJSON

/// Tests deletions of instances while the daemon is killed again and again. An instance that was reported as deleted is
/// gone, nothing is half deleted, and the file is intact after each kill.
///
/// `PURGE_KILLS` sets the number of kills (4). `CRASH_SEED` repeats a run.
@Suite(.tags(.heavy)) struct KilledPurgeTests {
    private static let definition = """
        id: door
        initial: open
        states:
          open:
            invoke: {id: guard, task: guard}
            on: {push: {}, ring: {actions: {call: {task: bell}}}, shut: shut}
            after: {1h: {}}
          shut: {type: final}
        """
    private static let instances = 4
    /// The number of an instance's events: more than one batch deletes.
    private static let events = 600
    /// The kills on one file. A file is checked whole after each kill, so it must not grow for ever.
    private static let killsPerFile = 20

    @Test(.timeLimit(.minutes(180))) func whatIsDeletedIsGoneAfterEveryKill() async throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["PURGE_KILLS"].flatMap { Int($0) } ?? 4
        let seed = environment["CRASH_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var folder = try TemporaryFolder()
        var daemon = try await Self.daemon(in: folder)
        var gone: Set<String> = []
        var (deletions, interrupted, events) = (0, 0, 0)
        for round in 0..<kills {
            if round > 0, round % Self.killsPerFile == 0 {
                try await Self.end(daemon, in: folder, gone)
                folder = try TemporaryFolder()
                daemon = try await Self.daemon(in: folder)
                gone = []
            }
            let names = (0..<Self.instances).map { "d-\(round)-\($0)" }
            try await Self.fill(names, daemon)
            let made = try await daemon.killed(round: round, seed: seed, clients: 4, mostSteps: 160) {
                Self.next(names, &$0)
            }
            let file = DatabaseFile(daemon.database)
            if try file.number("SELECT count(*) FROM purge WHERE waits = 0") > 0 { interrupted += 1 }
            let found = try await Daemon.launch(["verify", folder.path("wfd.db")]).result()
            #expect(found.end == .exited(0), "round \(round), seed \(seed): \(found)")
            daemon = try await Daemon(in: folder)
            let (deleted, mistakes) = try await daemon.repeated(made.filter(\.isDeletion)) { request, told in
                request.told?.isSame(as: told) == true
            }
            #expect(mistakes == [], "round \(round), seed \(seed)")
            let accepted = deleted.filter { $0.told?.isAccepted == true }
            #expect(Set(accepted.map(\.instance)).count == accepted.count, "one is deleted twice, seed \(seed)")
            gone.formUnion(accepted.map(\.instance))
            deletions += accepted.count
            let left = made.filter { !$0.isDeletion && !gone.contains($0.instance) }
            let (sent, others) = try await daemon.repeated(left)
            #expect(others == [], "round \(round), seed \(seed)")
            events += sent.count { $0.told?.isAccepted == true }
            let wrong = try Self.mistakes(in: file, gone, names)
            #expect(wrong == [], "round \(round), seed \(seed)")
            let verified = try await daemon.saidInTime("verify", "--all")
            #expect(verified.hasSuffix("no difference\n"), "round \(round), seed \(seed)")
        }
        try await Self.end(daemon, in: folder, gone)
        print(
            "deletions: seed \(seed), \(kills) kills, \(interrupted) while rows were swept, "
                + "\(deletions) deleted once, \(events) events of others found")
        // In 4 kills at random steps, no deletion happens once in 20,000 runs.
        #expect(deletions > 0)
    }

    private static func daemon(in folder: TemporaryFolder) async throws -> Daemon {
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.saidInTime("apply", try folder.write(definition, to: "door.yaml"))
        return daemon
    }

    private static func next(_ names: [String], _ random: inout SeededRandom) -> (target: String, body: String?) {
        let name = names.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<20, using: &random) {
        case 0...2: return (name + "?reason=r&cancelEffects=true&confirm=" + name, nil)
        case 3: return (name + "/events", #"{"event": "shut"}"#)
        case 4: return (name + "/events", #"{"event": "ring"}"#)
        default: return (name + "/events", #"{"event": "push"}"#)
        }
    }

    private static func fill(_ names: [String], _ daemon: Daemon) async throws {
        for (number, name) in names.enumerated() {
            // Some starts have a key, whose row waits.
            let key = number % 2 == 0 ? [(name: "Idempotency-Key", value: "\"key-\(name)\"")] : []
            let start = RawRequest.post("/v1/instances", #"{"machine": "door", "instance": "\#(name)"}"#, headers: key)
            #expect(try await daemon.answer(to: start).status == 201)
            let line = #"{"instance": "\#(name)", "event": "push"}"#
            let lines = repeatElement(line, count: events).joined(separator: "\n")
            let sent = try await daemon.answer(to: .post("/v1/events", lines, as: "application/x-ndjson"))
            #expect(sent.status == 200)
            // Some have rows that are empty already, and a snapshot of their own.
            if number % 3 == 0 {
                _ = try await daemon.said("redact", name, "--seq", "2-\(events / 2)", "--reason", "r")
            }
        }
    }

    /// Returns the mistakes: instances that are deleted and present, or whose parts are there without them.
    private static func mistakes(in file: DatabaseFile, _ gone: Set<String>, _ names: [String]) throws -> [String] {
        try file.read { database in
            var mistakes = try String.fetchAll(
                database,
                sql: """
                    SELECT 'instance ' || i.id || ' has not one row a seq' FROM instance i
                    WHERE i.status <> 'purging'
                        AND i.seq <> (SELECT count(*) FROM journal j WHERE j.instance_id = i.id)
                    UNION ALL SELECT 'instance ' || i.id || ' is half gone without a row in purge' FROM instance i
                    WHERE i.status = 'purging' AND NOT EXISTS (SELECT 1 FROM purge p WHERE p.instance_id = i.id)
                    UNION ALL SELECT 'instance ' || p.instance_id || ' has other rows than purge says' FROM purge p
                    WHERE p.seq <> (SELECT count(*) FROM journal j WHERE j.instance_id = p.instance_id)
                        AND p.waits = 0
                    UNION ALL SELECT 'a row of nobody' FROM journal
                    WHERE instance_id NOT IN (SELECT id FROM instance)
                    UNION ALL SELECT 'a timer of nobody' FROM timer t
                    WHERE instance_id NOT IN (SELECT id FROM instance WHERE status <> 'purging')
                    UNION ALL SELECT 'an effect of nobody' FROM effect
                    WHERE instance_id NOT IN (SELECT id FROM instance WHERE status <> 'purging')
                    UNION ALL SELECT 'a snapshot of nobody' FROM snapshot
                    WHERE instance_id NOT IN (SELECT id FROM instance)
                    UNION ALL SELECT 'a key of nobody' FROM dedupe
                    WHERE position NOT IN (SELECT position FROM journal)
                    """)
            let audited = try Int.fetchOne(database, sql: "SELECT count(*) FROM audit") ?? 0
            if audited != gone.count { mistakes.append("\(audited) rows in audit, \(gone.count) deleted") }
            for name in names {
                let found = try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM instance WHERE name = ?", arguments: [name])
                if found == (gone.contains(name) ? 1 : 0) { mistakes.append("\(name) is there \(found ?? 0) times") }
            }
            return mistakes
        }
    }

    /// Waits until everything is swept. Then only the starts remain whose keys are remembered.
    private static func end(_ daemon: Daemon, in folder: TemporaryFolder, _ gone: Set<String>) async throws {
        try await eventually("all is swept") { try await daemon.json("status")["deleting"] == .null }
        #expect(try await daemon.stop().end == .exited(0))
        let file = DatabaseFile(folder.path("wfd.db"))
        let left = "SELECT count(*) FROM journal j JOIN instance i ON i.id = j.instance_id WHERE i.status = 'purging'"
        let waiting = "SELECT count(*) FROM purge WHERE waits = 1"
        #expect(try file.number(left) == (try file.number(waiting)))
        #expect(try file.number("SELECT count(*) FROM audit") == Int64(gone.count))
    }
}

extension KeyedRequest.Told {
    /// Returns true if an answer repeats another one, except for the calls that were cancelled with the instance.
    fileprivate func isSame(as other: KeyedRequest.Told) -> Bool {
        let lasting = text.replacing(/,"cancelled":\[[^\]]*\]/, with: "")
        return status == other.status && [text, lasting].contains(other.text)
    }
}

extension KeyedRequest {
    fileprivate var isDeletion: Bool { body == nil }
}
