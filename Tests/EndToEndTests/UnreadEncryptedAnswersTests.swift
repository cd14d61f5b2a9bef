import DaemonTesting
import Foundation
import Testing
import ThreadTesting
import WorkflowClient

/// Tests callers behind TLS that ask for much data and read none of it.
@Suite(
    .enabled(if: TestService.python != nil, "there is no python3 on this system"), .timeLimit(.minutes(20)), .ownThreads
) struct UnreadEncryptedAnswersTests {
    /// Opens connections, each with a request, and reads nothing. Prints a line for each.
    private static let callers = """
        import signal, socket, ssl, sys
        host, port, authority, count, target = sys.argv[1:]
        settings = ssl.create_default_context(cafile=authority)
        kept = []
        for number in range(int(count)):
            plain = socket.socket()
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            plain.connect((host, int(port)))
            kept.append(settings.wrap_socket(plain, server_hostname="localhost"))
            kept[-1].sendall(f"GET {target} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n".encode())
            print("asked", number + 1, flush=True)
        signal.pause()
        """

    private let folder: TemporaryFolder
    private let authority: TestAuthority
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        authority = try await TestAuthority(in: folder)
        let pair = try await authority.pair("a")
        daemon = try await Daemon(
            arguments: Daemon.arguments(
                database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
                + ["--tls-certificate", pair.certificate, "--tls-key", pair.key, "--anonymous", "view"],
            database: folder.path("wfd.db"), addresses: 2)
        _ = try await daemon.said("apply", folder.write(UnreadAnswersOfDaemonTests.log, to: "log.yaml"))
        _ = try await daemon.said("start", "log", "a")
        let data = String(repeating: "x", count: 64_000)
        let lines = String(repeating: #"{"instance":"a","event":"note","data":"\#(data)"}"# + "\n", count: 300)
        #expect(try await daemon.answer(to: .post("/v1/events", lines, as: "application/x-ndjson")).status == 200)
    }

    @Test(arguments: [
        ("/v1/instances/a/history?limit=500", 600), ("/v1/stream?after=start", 500),
        ("/v1/instances/a/stream?after=start", 500),
    ])
    func theyTakeABoundedMemory(target: String, count: Int) async throws {
        guard case .tls(let host, let port) = daemon.web, let python = TestService.python else {
            throw TestingError("no TLS")
        }
        let before = try daemon.ownMemory()
        let callers = try RunningProgram(
            python, ["-c", Self.callers, host, "\(port)", authority.file, "\(count)", target],
            environment: Programs.environment())
        // The memory is looked at while they come.
        var most = 0
        let asked = Task { try await callers.outputLines(containing: "asked", count: count) }
        let watching = Task { [daemon] in
            var most = 0
            while !Task.isCancelled {
                most = max(most, try daemon.ownMemory() - before)
                try? await letPass(.milliseconds(20))
            }
            return most
        }
        _ = try await asked.value
        #expect(try await daemon.answer(to: .get("/readyz")).status == 200)
        #expect(try await daemon.wfctl("send", "a", "note").end == .exited(0))
        // The memory must not grow in this time.
        try await letPass(.seconds(2))
        watching.cancel()
        most = try await watching.value
        print("\(count) unread answers behind TLS, \(target): RssAnon \(most >> 20) MiB more at most")
        // Without a bound it would be gigabytes; how many answers are under way at once depends on the machine.
        #expect(most < 512 << 20, "\(most >> 20) MiB")
        callers.signal(SIGKILL)
        try await eventually("the memory is given back") { try daemon.ownMemory() - before < 96 << 20 }
        #expect(try await daemon.stop().end == .exited(0))
    }
}
