import DaemonTesting
import Foundation
import ManualTesting
import Statechart
import Testing
import ThreadTesting

/// Tests the configuration of Prometheus that `docs/watching.md` shows.
@Suite(.timeLimit(.minutes(20))) struct ScrapeConfigTests {
    private static let promtool: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    private let text: String

    init() throws {
        let blocks = ManualPage.page("docs/watching.md").blocks
        text = try #require(blocks.first { $0.name == "prometheus.yml" }).text
    }

    /// Returns the value at a path of keys and numbers.
    private static func value(_ node: DefinitionNode, _ path: String...) -> String? {
        path.reduce(node as DefinitionNode?) { node, step in
            if let number = Int(step) { return node?.elements.flatMap { $0.count > number ? $0[number] : nil } }
            return node?.members?.first { $0.key == step }?.value
        }?.text
    }

    @Test func itIsYAMLWithTLSAndAFileOfTheToken() throws {
        let (tree, mistakes) = try DefinitionText.reading(text)
        #expect(mistakes.isEmpty)
        let job = try #require(tree.members?.first { $0.key == "scrape_configs" }?.value.elements?.first)
        #expect(Self.value(job, "job_name") == "wfd" && Self.value(job, "scheme") == "https")
        #expect(Self.value(job, "authorization", "credentials_file") == "/etc/prometheus/wfd.token")
        #expect(Self.value(job, "tls_config", "ca_file") == "/etc/prometheus/wfd-ca.pem")
        #expect(Self.value(job, "static_configs", "0", "targets", "0") == "wfd.example:7433")
        // All other settings have Prometheus's defaults: the path is that of wfd, and a token is sent as 'Bearer'.
        #expect(
            job.members?.map(\.key) == ["job_name", "scheme", "authorization", "tls_config", "static_configs"])
    }

    @Test(.enabled(if: promtool != nil, "there is no promtool on this system (Debian's package is 'prometheus')"))
    func prometheusTakesIt() async throws {
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let rules = ManualPage.root.appending(path: "docs/wfd.rules.yml").path
        let token = try folder.write("wfdt_00000000_secret", to: "wfd.token")
        let config = text.replacing("/etc/prometheus/wfd.token", with: token)
            .replacing("/etc/prometheus/wfd-ca.pem", with: authority.file)
            .replacing("/etc/prometheus/wfd.rules.yml", with: rules)
        let result = try await RunningProgram(
            #require(Self.promtool), ["check", "config", folder.write(config, to: "prometheus.yml")],
            environment: Programs.environment()
        ).result()
        #expect(result.end == .exited(0), "\(result)")
    }

    /// The same request as that of Prometheus: the token of a monitor over TLS.
    @Test func aMonitorReadsTheMetricsOverTLS() async throws {
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let pair = try await authority.pair("a")
        let daemon = try await Daemon(
            arguments: Daemon.arguments(
                database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
                + ["--tls-certificate", pair.certificate, "--tls-key", pair.key],
            database: folder.path("wfd.db"), addresses: 2)
        let token = try folder.write(try await daemon.secret("prometheus", "monitor") + "\n", to: "wfd.token")
        let reader = """
            import ssl, sys, urllib.request
            ask = urllib.request.Request(sys.argv[1] + "/metrics")
            ask.add_header("Authorization", "Bearer " + open(sys.argv[2]).read().strip())
            trust = ssl.create_default_context(cafile=sys.argv[3])
            print(urllib.request.urlopen(ask, context=trust).read().decode())
            """
        let python = try #require(TestService.python, "there is no python3 on this system")
        let result = try await RunningProgram(
            python, ["-c", reader, "\(daemon.web)", token, authority.file], environment: Programs.environment()
        ).result()
        #expect(result.end == .exited(0) && result.output.contains("\nwfd_ready 1\n"), "\(result.errors)")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
