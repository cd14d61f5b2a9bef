import DaemonTesting
import Foundation
import Synchronization
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowClient

/// Tests ten thousand connections whose TLS handshakes never end, against a daemon with its usual limits.
@Suite(.tags(.heavy), .timeLimit(.minutes(20)), .ownThreads) struct UnfinishedHandshakesTests {
    private static let all = 10_000

    /// The begins that they send: nothing, a part of a first record, and a record that is none.
    private static let begins: [[UInt8]] = [[], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], [0x16, 0x03, 0x01, 0xFF, 0xFF]]

    /// Raises the bound of this process's open files as far as it may, and returns the connections that fit at once.
    private static func room() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return min(all, max(100, Int(clamping: limit.rlim_cur) - 1_000))
    }

    @Test func aCallerIsServedAmongTenThousandOfThem() async throws {
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let pair = try await authority.pair("a")
        let daemon = try await Daemon(
            arguments: Daemon.arguments(
                database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
                + ["--tls-certificate", pair.certificate, "--tls-key", pair.key], database: folder.path("wfd.db"),
            addresses: 2)
        guard case .tls(let host, let port) = daemon.web else { throw TestingError("no TLS") }
        let access = try ClientAccess(
            token: try await daemon.secret("shop", "view"), authorities: authority.file)
        let before = try daemon.ownMemory()
        let isOver = Flag()
        let serving = Task {
            var (answers, failures, longest) = (0, 0, Duration.zero)
            var last = ContinuousClock.now
            repeat {
                // A connection of its own for each. One that gives way before its handshake is over is tried again.
                do {
                    let status = try await daemon.withClient(access, at: daemon.web) { try await $0.status().status }
                    #expect(status == .ready)
                    (answers, longest) = (answers + 1, max(longest, .now - last))
                    last = .now
                } catch let error as ClientError where error.isTransient {
                    failures += 1
                }
            } while !isOver.isSet.load(ordering: .relaxed)
            return (answers, failures, max(longest, .now - last))
        }
        let room = Self.room()
        var (opened, most) = (0, 0)
        var closing = Duration.zero
        while opened < Self.all {
            let count = min(room, Self.all - opened)
            let silent = try await onOwnThread {
                var most = 0
                let silent = try (0..<count).map { number in
                    if number % 200 == 0 { most = max(most, try daemon.ownMemory() - before) }
                    let connection = try RawConnection(to: .tcp(host: host, port: port))
                    try connection.write(Self.begins[number % Self.begins.count])
                    return connection
                }
                return (connections: silent, most: max(most, try daemon.ownMemory() - before))
            }
            (opened, most) = (opened + count, max(most, silent.most))
            let begin = ContinuousClock.now
            try await onOwnThread {
                for connection in silent.connections { _ = try connection.readToEnd() }
            }
            closing = max(closing, .now - begin)
        }
        isOver.isSet.store(true, ordering: .relaxed)
        let (answers, failures, longest) = try await serving.value
        print(
            "\(opened) unfinished handshakes, \(room) at once: \(answers) requests answered meanwhile, "
                + "\(failures) not, \(longest) without an answer at most; RssAnon \(most >> 20) MiB more at most; all "
                + "closed \(closing) after the last came")
        #expect(answers > 1 && longest < .seconds(30))
        #expect(most < 128 << 20, "\(most >> 20) MiB")
        #expect(closing < .seconds(60))
        #expect(try await daemon.stop().end == .exited(0))
    }
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}
