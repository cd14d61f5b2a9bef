import DaemonTesting
import Foundation
import ManualTesting
import Testing
import ThreadTesting
import WorkflowClient

/// Tests `docs/remote.md`: wfd behind Caddy.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: Caddy.path != nil || ProcessInfo.processInfo.environment["CI"] == "true", "there is no caddy here")
)
struct CaddyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The file of Caddy's own authority.
    private var authority: String { folder.path("caddy/pki/authorities/local/root.crt") }

    /// Runs Caddy with a file of the page in front of a daemon, and returns it with its address.
    ///
    /// - Parameters:
    ///   - login: True for the file that logs people in.
    ///   - token: The proxy's own token.
    private func caddy(
        before daemon: Daemon, login: Bool = false, token: String = ""
    ) async throws -> (program: RunningProgram, address: String) {
        let block = try #require(
            ManualPage.page("docs/remote.md").blocks.first {
                $0.text.hasPrefix("wfd.example {") && $0.text.contains("forward_auth") == login
            })
        guard case .tcp(_, let port) = daemon.web else { throw TestingError("no port") }
        let address = "https://localhost:\(try Self.freePort())"
        var text = block.text.replacing("wfd.example {", with: "\(address) {\n    tls internal")
            .replacing("127.0.0.1:7433", with: "127.0.0.1:\(port)")
        if login {
            let service = try Self.freePort()
            text.replace("127.0.0.1:4180", with: "127.0.0.1:\(service)")
            text += "\nhttp://:\(service) {\n\(Self.login)\n}\n"
        }
        let file = try folder.write(
            "{\n    admin off\n    skip_install_trust\n    auto_https disable_redirects\n}\n" + text, to: "Caddyfile")
        let program = try RunningProgram(
            try #require(Caddy.path, "install caddy"), ["run", "--config", file, "--adapter", "caddyfile"],
            environment: Programs.environment(
                ["XDG_DATA_HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "WFD_TOKEN": token]))
        _ = try await program.errorLines(containing: "serving initial configuration")
        try await eventually("Caddy's authority") { FileManager.default.fileExists(atPath: authority) }
        return (program, address)
    }

    /// The answers of `/oauth2/auth` of oauth2-proxy: who is logged in is known by a cookie.
    private static let login = """
        @anna header Cookie "session=anna"
        handle @anna {
            header X-Auth-Request-Email anna@shop.example
            respond /oauth2/auth 202
        }
        @unnamed header Cookie "session=unnamed"
        handle @unnamed {
            respond /oauth2/auth 202
        }
        handle {
            respond "log in" 401
        }
        """

    /// Returns a port that nobody has at the moment.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard code == 0 else { throw TestingError("no free port") }
        return UInt16(bigEndian: address.sin_port)
    }

    @Test func callersReachWfdThroughIt() async throws {
        let daemon = try await Daemon(in: folder, listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
        let token = try await daemon.secret("shop", "send,deploy")
        let (caddy, address) = try await caddy(before: daemon)
        func wfctl(_ arguments: String...) async throws -> ProgramResult {
            try await DaemonTesting.wfctl(
                arguments, environment: ["WFCTL_ADDRESS": address, "WFCTL_CA": authority, "WFCTL_TOKEN": token])
        }
        #expect(try await wfctl("apply", Programs.example("order")).end == .exited(0))
        #expect(try await wfctl("start", "order", "o-1").end == .exited(0))
        let shown = try await wfctl("show", "o-1")
        #expect(shown.end == .exited(0) && shown.output.contains("o-1"), "\(shown)")
        let unknown = try await DaemonTesting.wfctl(["status"], environment: ["WFCTL_ADDRESS": address])
        #expect(unknown.end == .exited(69) && unknown.errors.contains("of an authority that is unknown here"))
        caddy.signal(SIGTERM)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test func peopleWhoLogInAreTheActors() async throws {
        let daemon = try await Daemon(in: folder, listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
        let token = try await daemon.secret("sso", "view", ["--speaks-for"])
        let (caddy, address) = try await caddy(before: daemon, login: true, token: token)
        func answer(_ headers: [(String, String)]) async throws -> RawAnswer {
            let request = RawRequest("GET", "/v1/whoami", headers: headers)
            return try await onOwnThread { try RawConnection(to: Address(address)).answer(to: request) }
        }
        let forged = ("Wfd-On-Behalf-Of", "root")
        let forgedForProxy = ("X-Auth-Request-Email", "root")
        let secret = ("Authorization", "Bearer \(token)")
        // A proxy removes what a caller names in Connection (RFC 9110, 7.6.1).
        let dropping = ["Wfd-On-Behalf-Of", "X-Auth-Request-Email", "Authorization"].map { ("Connection", $0) }
        let others = [[], [forged], [forged, forged], [forgedForProxy], [secret], [("Wfd_On_Behalf_Of", "root")]]
        for more in others + dropping.flatMap({ [[$0], [$0, forged]] }) {
            let known = try await answer([("Cookie", "session=anna")] + more)
            #expect(known.text.contains(#""actor":"token:sso(anna@shop.example)""#), "\(more): \(known.text)")
            let unnamed = try await answer([("Cookie", "session=unnamed")] + more)
            #expect(unnamed.status == 400, "\(more): \(unnamed.text)")
            let stranger = try await answer(more)
            #expect(stranger.status == 401 && stranger.text == "log in", "\(more): \(stranger.text)")
        }
        caddy.signal(SIGTERM)
        #expect(try await daemon.stop().end == .exited(0))
    }
}

private enum Caddy {
    /// The path of Caddy; `nil` if it is not installed.
    static let path: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
        .split(separator: ":").map { $0 + "/caddy" }.first { FileManager.default.isExecutableFile(atPath: $0) }
}
