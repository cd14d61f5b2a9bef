import DaemonTesting
import Foundation
import GRDB
import Testing
import WorkflowJSON

/// Tests that deleted instances give their space back: pages while the daemon serves, and the bytes of every row when
/// the file is compacted.
@Suite(.timeLimit(.minutes(20))) struct SpaceTests {
    private static let claim = """
        id: claim
        initial: open
        context: {card: null}
        states:
          open:
            on:
              pay: {actions: {assign: {card: event.data.card}}}
              close: closed
          closed: {type: final}
        """
    private static let instances = 40
    /// The number of an instance's events.
    private static let cards = 75

    /// A text that appears nowhere by chance.
    private let issuer = (0..<24).map { _ in String(UInt8.random(in: 0...15), radix: 16) }.joined()

    private func daemon(in folder: TemporaryFolder) async throws -> Daemon {
        let database = folder.path("wfd.db")
        let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        return try await Daemon(arguments: arguments + ["--clock", "virtual"], database: database)
    }

    /// Starts instances with card numbers, and finishes all but one.
    private func pay(_ daemon: Daemon, _ folder: TemporaryFolder) async throws {
        _ = try await daemon.said("apply", folder.write(Self.claim, to: "claim.yaml"))
        let filler = String(repeating: "x", count: 1_500)
        for number in 0..<Self.instances {
            _ = try await daemon.answer(
                to: .post("/v1/instances", #"{"machine": "claim", "instance": "c-\#(number)"}"#))
            var lines = (0..<Self.cards).map { card in
                let data = #"{"card": "\#(issuer)-\#(number)-\#(card)", "text": "\#(filler)"}"#
                return #"{"instance": "c-\#(number)", "event": "pay", "data": \#(data)}"#
            }
            if number > 0 { lines.append(#"{"instance": "c-\#(number)", "event": "close"}"#) }
            let sent = try await daemon.answer(
                to: .post("/v1/events", lines.joined(separator: "\n"), as: "application/x-ndjson"))
            #expect(sent.status == 200)
        }
    }

    private func holdsCards(_ path: String) -> Bool {
        FileManager.default.contents(atPath: path)?.range(of: Data(issuer.utf8)) != nil
    }

    private func wfd(_ arguments: String...) async throws -> ProgramResult {
        try await Daemon.launch(arguments).result()
    }

    private func pages(_ daemon: Daemon) async throws -> (all: Int64, free: Int64) {
        let disk = try await daemon.json("status")["disk"]
        guard case .int(let all) = disk["pages"], case .int(let free) = disk["freePages"] else {
            throw TestingError("no pages: \(disk)")
        }
        return (all, free)
    }

    @Test func deletedCardNumbersGiveTheirRoomBackAndAreGoneWhenTheFileIsCompacted() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await daemon(in: folder)
        try await pay(daemon, folder)
        let filled = try await pages(daemon)
        #expect(filled.all > 1_000 && filled.free < 100, "\(filled)")
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        _ = try await daemon.said("clock", "advance", "1d")
        _ = try await daemon.saidInTime("purge", "--finished-before", "1h", "--reason", "r")
        _ = try await daemon.said("redact", "c-0", "--path", "card", "--reason", "r")
        // A daemon for which nobody has anything to do gives back what is worth it, and then rests.
        try await eventually("the file becomes small") {
            try await pages(daemon).all < filled.all / 2 && Self.size(daemon.database) < filled.all * 4_096 / 2
        }
        let left = try await pages(daemon)
        #expect(left.free <= 512, "\(left)")
        let status = try await daemon.said("status")
        #expect(status.contains(" pages, "), "\(status)")
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        let backup = folder.path("backup.db")
        _ = try await daemon.saidInTime("backup", backup)
        let held = try await wfd("compact", daemon.database)
        #expect(held.end == .exited(75) && held.errors.contains("it is in use by process"), "\(held)")
        #expect(try await daemon.stop().end == .exited(0))
        for file in [daemon.database, backup] {
            #expect(try await wfd("verify", file).end == .exited(0))
            let before = try DatabaseFile(file).dump()
            let compacted = try await wfd("compact", file)
            #expect(compacted.end == .exited(0), "\(compacted)")
            #expect(compacted.output.hasPrefix("\(file): compacted, and whole\n  bytes: "), "\(compacted)")
            #expect(!holdsCards(file) && Self.size(file) < left.all * 4_096)
            #expect(try DatabaseFile(file).number("SELECT * FROM pragma_freelist_count") == 0)
            #expect(try DatabaseFile(file).dump() == before)
            #expect(try await wfd("verify", file).end == .exited(0))
        }
        #expect(try folder.names().allSatisfy { !$0.contains("compacting") })
        // The database is served as before.
        let again = try await self.daemon(in: folder)
        #expect(try await again.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        #expect(try await again.stop().end == .exited(0))
    }

    private static func size(_ path: String) -> Int64 {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// A redaction needs an empty log, and a reader keeps the log.
    @Test func aReaderThatHoldsTheLogIsToldAndTheLogIsCutWhenItEnds() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.claim, to: "claim.yaml"))
        _ = try await daemon.said("start", "claim", "c-0")
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: daemon.database, configuration: configuration)
        try reader.inDatabase { database in
            try database.execute(sql: "BEGIN; SELECT count(*) FROM journal")
        }
        _ = try await daemon.said("send", "c-0", "pay", "--data", #"{"card": "\#(issuer)"}"#)
        _ = try await daemon.wfctl("redact", "c-0", "--path", "card", "--reason", "r")
        guard case .int(let age) = try await daemon.json("status")["disk"]["logHeld"] else {
            Issue.record("nobody holds the log")
            return
        }
        #expect(age > 0)
        guard case .int(let erased) = try await daemon.json("status")["disk"]["logErased"] else {
            Issue.record("nothing of what was erased is in the log")
            return
        }
        #expect(erased > 0)
        let status = try await daemon.said("status")
        #expect(status.contains("a reader has held it for ") && status.contains("erased data has been in it for "))
        let metrics = try await daemon.answer(to: .get("/metrics")).text
        #expect(try #require(metrics.firstMatch(of: /\nwfd_wal_erased_seconds (\d+)/)).1 != "0")
        let told = try await daemon.program.errorLines(containing: "a reader keeps the write-ahead log")
        #expect(told.allSatisfy { $0.contains(#"reader="another process""#) }, "\(told)")
        #expect(holdsCards(daemon.database + "-wal"))
        try reader.close()
        // The log is emptied although nobody asks for it.
        _ = try await daemon.program.errorLines(containing: "no reader keeps the write-ahead log")
        #expect(!holdsCards(daemon.database + "-wal"))
        let disk = try await daemon.json("status")["disk"]
        #expect(disk["logHeld"] == .null && disk["logErased"] == .null)
        #expect(try await daemon.stop().end == .exited(0))
    }
}
