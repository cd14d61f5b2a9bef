import DaemonTesting
import Foundation
import Synchronization
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowClient

/// Tests a certificate that changes again and again while callers send.
@Suite(.tags(.heavy), .timeLimit(.minutes(20))) struct ChangedCertificateTests {
    @Test func noSendFailsWhileTheCertificateChangesAHundredTimes() async throws {
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let pairs = [try await authority.pair("a"), try await authority.pair("b")]
        let (certificate, key) = (folder.path("live.pem"), folder.path("live.key"))
        func change(_ number: Int) throws {
            for (file, live) in [(pairs[number % 2].certificate, certificate), (pairs[number % 2].key, key)] {
                try FileManager.default.copyItem(atPath: file, toPath: live + ".new")
                rename(live + ".new", live)
            }
        }
        try change(0)
        let daemon = try await Daemon(
            arguments: Daemon.arguments(
                database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
                + ["--tls-certificate", certificate, "--tls-key", key], database: folder.path("wfd.db"), addresses: 2)
        let token = try await daemon.secret("shop", "send,deploy")
        let access = try ClientAccess(token: token, authorities: authority.file)
        try await daemon.withClient(access, at: daemon.web) { client in
            let machine = Array("id: m\ninitial: s\nstates:\n  s: {on: {e: {target: s}}}\n".utf8)
            _ = try await client.apply(machine, as: .yaml)
            for caller in 0..<4 { _ = try await client.start(StartRequest(machine: "m", instance: "i\(caller)")) }
        }
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for caller in 0..<4 {
                tasks.addTask {
                    while !progress.isOver.load(ordering: .relaxed) {
                        // A connection of its own for a few sends, so that each pair is used.
                        try await daemon.withClient(access, at: daemon.web) { client in
                            for _ in 0..<5 {
                                _ = try await client.send(SendRequest(event: "e"), to: "i\(caller)")
                                progress.sent.add(1, ordering: .relaxed)
                            }
                        }
                    }
                }
            }
            for number in 1...100 {
                try change(number)
                daemon.program.signal(SIGHUP)
                _ = try await daemon.program.errorLines(containing: "the settings were reloaded", count: number)
            }
            progress.isOver.store(true, ordering: .relaxed)
            try await tasks.waitForAll()
        }
        #expect(progress.sent.load(ordering: .relaxed) > 20)
        #expect(try await daemon.stop().end == .exited(0))
    }
}

private final class Progress: Sendable {
    let isOver = Atomic(false)
    let sent = Atomic(0)
}
