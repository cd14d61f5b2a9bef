import DaemonTesting
import Foundation
import Testing
import ThreadTesting

/// Tests what the daemon tells its service manager, on a real datagram socket (sd_notify(3)).
@Suite struct ServiceManagerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func daemon(
        _ manager: NotifyReader, file: String = "wfd.db", _ environment: [String: String] = [:],
        config: String? = nil, processor: Int? = nil
    ) async throws -> Daemon {
        let arguments = Daemon.arguments(database: folder.path(file), listen: ["unix:" + folder.path("wfd.sock")])
        return try await Daemon(
            arguments: arguments + (config.map { ["--config", $0] } ?? []), database: folder.path(file),
            environment: environment.merging(["NOTIFY_SOCKET": manager.name]) { $1 }, processor: processor)
    }

    @Test(.timeLimit(.minutes(20)), arguments: [true, false])
    func theWholeLifeIsTold(isAbstract: Bool) async throws {
        let name = isAbstract ? "@wfd-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))" : folder.path("notify")
        let manager = try NotifyReader(name: name)
        let config = try folder.write("", to: "wfd.yaml")
        let daemon = try await daemon(manager, config: config)
        try await manager.expect("READY=1\nSTATUS=serving unix:\(folder.path("wfd.sock"))")
        // A start that takes long has asked for time, and nothing came before it was ready but that.
        let before = manager.messages.dropLast()
        #expect(before.first?.hasPrefix("STATUS=opening ") == true)
        #expect(before.contains("EXTEND_TIMEOUT_USEC=60000000"))
        #expect(before.allSatisfy { $0.hasPrefix("STATUS=") || $0.hasPrefix("EXTEND_TIMEOUT_USEC=") }, "\(before)")
        // A request is answered now.
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)

        let begin = Self.monotonicMicroseconds
        daemon.program.signal(SIGHUP)
        try await manager.expect("READY=1")
        let reloading = manager.messages.dropLast().last ?? ""
        let time = reloading.firstMatch(of: /RELOADING=1\nMONOTONIC_USEC=(\d+)/).flatMap { UInt64($0.1) } ?? 0
        #expect(begin <= time && time <= Self.monotonicMicroseconds, "\(reloading)")

        #expect(try await daemon.stop().end == .exited(0))
        try await manager.expect("STOPPING=1\nSTATUS=stopping")
        // Nobody asked to be fed.
        #expect(!manager.messages.contains("WATCHDOG=1"))
    }

    private static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }

    @Test(.timeLimit(.minutes(20))) func aReloadWithAMistakeIsToldAsOverToo() async throws {
        let manager = try NotifyReader(name: folder.path("notify"))
        let config = try folder.write("", to: "wfd.yaml")
        let daemon = try await daemon(manager, config: config)
        try await manager.expect(prefix: "READY=1\n")
        _ = try folder.write("nothing", to: "wfd.yaml")
        daemon.program.signal(SIGHUP)
        try await manager.expect("READY=1")
        _ = try await daemon.program.errorLines(containing: "a mistake: no setting was changed")
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// On one core, opening keeps the only thread of Swift's pool.
    @Test(.timeLimit(.minutes(20))) func anUpgradeAsksForTimeAndShowsItsSteps() async throws {
        try FileManager.default.copyItem(atPath: Programs.fixture("0.1.0"), toPath: folder.path("old.db"))
        let manager = try NotifyReader(name: folder.path("notify"))
        let daemon = try await daemon(manager, file: "old.db", processor: 0)
        try await manager.expect(prefix: "READY=1\n")
        #expect(manager.messages.contains("EXTEND_TIMEOUT_USEC=60000000"))
        #expect(manager.messages.contains { $0.hasPrefix("STATUS=upgrade: ") }, "\(manager.messages)")
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// The pause of 15 seconds is short here.
    @Test(.timeLimit(.minutes(20))) func anOpeningThatTakesLongAsksAgainAndAgainUntilItEnds() async throws {
        let holds = try Holds(in: folder)
        let manager = try NotifyReader(name: folder.path("notify"))
        let more = "EXTEND_TIMEOUT_USEC=60000000"
        for call in [Holds.Call.syncs, .waits] { try holds.shut(call) }
        async let opening = daemon(manager, try holds.environment)
        try await eventually("the opening is held") { holds.isHeld(.syncs) }
        for _ in 1...5 { try await manager.expect(more) }
        try holds.open(.syncs)
        let daemon = try await opening
        try await manager.expect(prefix: "READY=1\n")
        let asked = manager.count(of: more)
        try await letPass(.seconds(1))
        #expect(manager.count(of: more) == asked)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aWriterThatWorksIsFed() async throws {
        let manager = try NotifyReader(name: folder.path("notify"))
        let daemon = try await daemon(manager, ["WATCHDOG_USEC": "400000"])
        for _ in 1...5 { try await manager.expect("WATCHDOG=1") }
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// The variables reach the children of the watched process as well.
    @Test(.timeLimit(.minutes(20))) func theWatchdogOfAnotherProcessIsNotFed() async throws {
        let manager = try NotifyReader(name: folder.path("notify"))
        let daemon = try await daemon(manager, ["WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"])
        try await manager.expect(prefix: "READY=1\n")
        daemon.program.signal(SIGHUP)
        try await manager.expect("READY=1")
        #expect(try await daemon.stop().end == .exited(0))
        try await manager.expect("STOPPING=1\nSTATUS=stopping")
        #expect(!manager.messages.contains("WATCHDOG=1"))
    }

    /// The writer hangs in a flush; everything else of the daemon works.
    @Test(.timeLimit(.minutes(20))) func aWriterThatHangsIsNotFed() async throws {
        let holds = try Holds(in: folder)
        let manager = try NotifyReader(name: folder.path("notify"))
        let daemon = try await daemon(manager, try holds.environment.merging(["WATCHDOG_USEC": "200000"]) { $1 })
        try await manager.expect("WATCHDOG=1")
        try holds.shut(.syncs)
        // An event that never comes through.
        let definition = try folder.write("id: lamp\ninitial: off\nstates: {off: {}}\n", to: "lamp.yaml")
        let apply = try RunningProgram(
            Programs.path("wfctl"), ["apply", definition],
            environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"]))
        try await eventually("the flush is held") { holds.isHeld(.syncs) }
        // A message may have been under way; of the beats that begin now none ends.
        try await letPass(.milliseconds(200))
        let fed = manager.count(of: "WATCHDOG=1")
        try await letPass(.seconds(1))
        #expect(try await daemon.answer(to: .get("/livez")).status == 200)
        #expect(manager.count(of: "WATCHDOG=1") == fed)
        try holds.open(.syncs)
        try await eventually("the writer is fed again") { manager.count(of: "WATCHDOG=1") > fed }
        #expect(try await apply.result().end == .exited(0))
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aServiceManagerThatIsGoneIsNoReasonToStop() async throws {
        let arguments = Daemon.arguments(database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
        let daemon = try await Daemon(
            arguments: arguments, database: folder.path("wfd.db"),
            environment: ["NOTIFY_SOCKET": folder.path("nobody")])
        let lines = try await daemon.program.errorLines(containing: "the service manager cannot be told")
        #expect(lines.first?.contains(#"error="No such file or directory""#) == true, "\(lines)")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
