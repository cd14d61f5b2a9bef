import DaemonTesting
import Statechart
import Testing
import WorkflowSettings

/// Tests settings in nested maps, and settings with a structure, which only the file can have.
@Suite struct StructuredSettingTests {
    private static let table: [Setting] = [
        .text("tls.key", "file", "A key.", example: "/k", in: \.secrets) { $0 },
        .text("tls.certificate", "file", "A certificate.", example: "/c", in: \.authority) { $0 },
        .structure("access.rules", "Rules.", example: "[{user: ops, may: view}]", in: \.place) { node, report in
            for element in node.elements ?? [] {
                for member in element.members ?? [] where !["user", "may"].contains(member.key) {
                    report("unknown key '\(member.key)'", member.place)
                }
            }
            return node.elements.map { "\($0.count)" }
        },
    ]

    @Test func aDotSeparatesTheKeysOfNestedMaps() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "tls:\n  certificate: /c\n  key: /k\naccess:\n  rules: [{user: ops, may: view}]\n", to: "wfd.yaml")
        let sources = SettingSources(file: path, environment: ["WFD_TLS_KEY": "/v"], table: Self.table)
        let resolved = try sources.resolve()
        #expect(resolved.settings.authority == "/c" && resolved.origin(of: "tls.certificate") == .file(line: 2))
        #expect(resolved.settings.secrets == "/v" && resolved.origin(of: "tls.key") == .environment)
        #expect(resolved.settings.place == "1" && resolved.origin(of: "access.rules") == .file(line: 5))
        #expect(
            resolved.lines == [
                "SETTING          VALUE                          SOURCE",
                "tls.key          /v                             environment",
                "tls.certificate  /c                             file, line 2",
                #"access.rules     [{"user":"ops","may":"view"}]  file, line 5"#,
            ])
        #expect(Self.table.map(\.flag) == ["--tls-key", "--tls-certificate", nil])
        #expect(Self.table.map(\.variable) == ["WFD_TLS_KEY", "WFD_TLS_CERTIFICATE", nil])
    }

    @Test func mistakesInsideAreReportedAtTheirPlaces() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "tls:\n  kee: /k\naccess: {rules: [{user: a}, {usr: b}, {x: c}]}\ntls-key: /k\n", to: "wfd.yaml")
        let sources = SettingSources(file: path, environment: ["WFD_ACCESS_RULES": "x"], table: Self.table)
        let error = #expect(throws: SettingError.self) { try sources.resolve() }
        #expect(
            error?.lines == [
                "\(path):2:3: error: unknown key 'tls.kee'; did you mean 'key'?",
                "\(path):3:30: error: unknown key 'usr'",
                "\(path):3:40: error: unknown key 'x'",
                "\(path):4:1: error: unknown key 'tls-key'; write 'key' below 'tls'",
                "error: WFD_ACCESS_RULES: there is no such setting; 'wfd config' lists the settings",
            ])
    }

    @Test(arguments: ["tls:\n  #key: /k\n", "tls: {}", "tls: null"])
    func aMapWithoutKeysIsRefused(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "wfd.yaml")
        let sources = SettingSources(file: path, environment: [:], table: Self.table)
        let error = #expect(throws: SettingError.self) { try sources.resolve() }
        let message = "'tls' is empty: write 'key' or 'certificate' below it, or remove it"
        #expect(error?.mistakes.map(\.message) == [message])
    }
}
