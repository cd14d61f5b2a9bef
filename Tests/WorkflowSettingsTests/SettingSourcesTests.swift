import DaemonTesting
import Statechart
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowServer
import WorkflowSettings

/// Tests the sources of settings and their order.
@Suite struct SettingSourcesTests {
    private let folder: TemporaryFolder
    /// Three values of each setting; those of `secrets` and `ca` are files that exist.
    private let values: [String: [String]]

    init() throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        let folders = try ["a", "b", "c"].map(folder.makeFolder)
        let authorities = try ["x", "y", "z"].map { try folder.write(Self.authority, to: $0 + ".pem") }
        values = [
            "database": ["/a.db", "/b.db", "/c.db"],
            "listen": ["unix:/a", "127.0.0.1:1", "[::1]:2"],
            "peer": ["127.0.0.1:5", "10.0.0.7:6", "[::1]:7"],
            "metrics": ["unix:/m", "127.0.0.1:3", "[::1]:4"],
            "allow-host": ["a.example", "b.example", "[::1]"],
            "without-tls": ["false", "true", "true"],
            "clock": ["real", "virtual", "real"],
            "hold": ["false", "true", "true"],
            "no-copy": ["false", "true", "true"],
            "insecure": ["false", "true", "true"],
            "place": ["one", "two", "three"],
            "brake": ["1/1s", "0", "3/3m"],
            "log-level": ["trace", "error", "debug"],
            "allow-http": ["10.0.0.0/8", "::1/128", "127.0.0.1:80"],
            "exec": ["a=/a", "b=/b", "c=/c"],
            "secrets": folders,
            "ca": authorities,
        ]
    }

    /// The settings that have a flag, and are good without another one.
    private static let single = Setting.all.filter {
        $0.form != .structure && !$0.key.hasPrefix("tls-") && $0.key != "anonymous"
    }

    @Test func everySettingHasValuesHere() {
        #expect(Self.single.map(\.key).sorted() == values.keys.sorted())
        let others = Setting.all.map(\.key).filter { values[$0] == nil }
        #expect(others == ["tls-certificate", "tls-key", "access.unix", "anonymous"])
    }

    @Test func theFilesOfTLSGoTogether() throws {
        let file = try folder.write("tls-certificate: /c\ntls-key: /k\n", to: "tls.yaml")
        let resolved = try SettingSources(file: file, environment: ["WFD_TLS_KEY": "/v"]).resolve()
        #expect(resolved.settings.certificate == "/c" && resolved.settings.certificateKey == "/v")
        let half = try folder.write("tls-certificate: /c\n", to: "half.yaml")
        let error = #expect(throws: SettingError.self) { try SettingSources(file: half, environment: [:]).resolve() }
        #expect(error?.lines.first?.hasSuffix("tls-certificate and tls-key go together: give both or neither") == true)
    }

    @Test func aRoleForCallersWithoutATokenNeedsAnAddressOnLoopback() throws {
        let file = try folder.write("anonymous: view\nlisten: [unix:/a, '[::1]:1']\n", to: "anonymous.yaml")
        let resolved = try SettingSources(file: file, environment: ["WFD_ANONYMOUS": "monitor"]).resolve()
        #expect(resolved.settings.anonymous == .monitor)
        let others = ["WFD_LISTEN": "unix:/a,0.0.0.0:1", "WFD_WITHOUT_TLS": "true", "WFD_ALLOW_HOST": "a.example"]
        for (flags, place) in [(["anonymous": ["view"]], "--anonymous"), ([:], "\(file):1:1")] {
            let error = #expect(throws: SettingError.self) {
                try SettingSources(flags: flags, file: file, environment: others).resolve()
            }
            #expect(error?.mistakes.map { "\($0)" }.first?.hasPrefix("\(place): 'anonymous' has no effect: ") == true)
        }
    }

    @Test func everySettingThatIsTrueOrFalseHasAFlagForBoth() {
        let truths = Setting.all.filter { $0.form == .truth }
        #expect(truths.map(\.flag) == ["--without-tls", "--hold", "--no-copy", "--insecure"])
        #expect(truths.map(\.opposite) == ["--with-tls", "--no-hold", "--copy", "--no-insecure"])
        #expect(Setting.all.allSatisfy { ($0.form == .truth) == ($0.opposite != nil) })
    }

    @Test func noRulesAndRulesForNobodyAreTwoThings() throws {
        func rules(_ text: String) throws -> [UnixRule]? {
            let file = try folder.write(text, to: "rules.yaml")
            return try SettingSources(file: file, environment: [:]).resolve().settings.unixRules
        }
        #expect(try rules("place: a\n") == nil)
        #expect(try rules("access: {unix: []}\n") == [])
        for text in ["access:\n", "access: {}\n", "access: {unix: }\n", "access: {unix: {}}\n"] {
            #expect(throws: SettingError.self) { try rules(text) }
        }
        let access = try UnixAccess([])
        #expect(access.roles(of: 0, [0], own: 7) == [.admin] && access.roles(of: 7, [], own: 7) == [.admin])
        #expect(access.roles(of: 8, [0], own: 7) == [])
    }

    @Test func rulesForUsersAreReadWithAllTheirMistakes() throws {
        let good = "access: {unix: [{user: ops, role: admin}, {group: wfd-view, role: view}]}\n"
        let resolved = try SettingSources(file: folder.write(good, to: "good.yaml"), environment: [:]).resolve()
        #expect(
            resolved.settings.unixRules
                == [UnixRule(.user("ops"), .admin), UnixRule(.group("wfd-view"), .view)])
        let bad = """
            access:
              unix:
                - {user: ops, role: boss}
                - {user: ops, group: g, role: view}
                - {user: ops}
                - {usr: ops, role: view}
                - ops
            """
        let path = try folder.write(bad, to: "bad.yaml")
        let error = #expect(throws: SettingError.self) { try SettingSources(file: path, environment: [:]).resolve() }
        let lines = error?.lines.map { $0.replacing(path + ":", with: "") }
        #expect(
            lines == [
                "3:25: error: 'boss' is no role; write one of monitor, view, send, work, deploy, operate, admin",
                "4:7: error: a rule has either user or group",
                "5:7: error: the role is missing",
                "6:7: error: a rule has either user or group",
                "6:8: error: unknown key 'usr'; a rule has user or group, and role",
                "7:7: error: a rule is a map, such as {user: ops, role: operate}",
            ])
        let list = try folder.write("access: {unix: ops}\n", to: "text.yaml")
        #expect(throws: SettingError.self) { try SettingSources(file: list, environment: [:]).resolve() }
    }

    @Test(arguments: single) func aFlagComesBeforeAVariableAndAVariableBeforeTheFile(setting: Setting) throws {
        let values = try #require(values[setting.key])
        let name = try #require(setting.variable)
        #expect(name == "WFD_" + setting.key.uppercased().replacing("-", with: "_"))
        let quoted = setting.form == .truth ? values[0] : "\"\(values[0])\""
        let file = try folder.write("# first\n\(setting.key): \(quoted)\n", to: "\(setting.key).yaml")
        let (flag, variable) = ([setting.key: [values[2]]], [name: values[1], "HOME": "/h"])

        try expect(setting, SettingSources(file: file, environment: [:]), values[0], .file(line: 2))
        try expect(setting, SettingSources(file: file, environment: variable), values[1], .environment)
        try expect(setting, SettingSources(flags: flag, file: file, environment: variable), values[2], .flag)
        let standard = try SettingSources(environment: ["HOME": "/h", name: ""]).resolve()
        #expect(standard.origin(of: setting.key) == .standard)
    }

    private func expect(_ setting: Setting, _ sources: SettingSources, _ value: String, _ origin: SettingOrigin) throws
    {
        let resolved = try sources.resolve()
        #expect(resolved.shown(setting) == value && resolved.origin(of: setting.key) == origin)
        // The value that the daemon gets is the one that is shown: reading it again changes nothing.
        let again = try SettingSources(flags: [setting.key: [value]], environment: [:]).resolve()
        #expect("\(again.settings)" == "\(resolved.settings)")
        if value != setting.standard { #expect("\(resolved.settings)" != "\(Settings())") }
    }

    /// The defaults in the pages are those of the program.
    @Test(arguments: Setting.all.filter { $0.standard != nil && !$0.key.hasPrefix("secret") })
    func theDefaultIsTheOneThatIsWritten(setting: Setting) throws {
        let standard = try #require(setting.standard)
        let resolved = try SettingSources(flags: [setting.key: [standard]], environment: [:]).resolve()
        #expect("\(resolved.settings)" == "\(Settings())")
    }

    @Test func placesOfTheSurroundingsAreShown() throws {
        let environment = [
            "STATE_DIRECTORY": "/var/lib/wfd", "RUNTIME_DIRECTORY": "/run/wfd", "CREDENTIALS_DIRECTORY": "/creds",
        ]
        let lines = try SettingSources(environment: environment).resolve().lines
        #expect(lines.first == "SETTING          VALUE                   SOURCE")
        #expect(lines.contains("database         /var/lib/wfd/wfd.db     default"))
        #expect(lines.contains("listen           unix:/run/wfd/wfd.sock  default"))
        #expect(lines.contains("secrets          /creds                  default"))
        #expect(lines.contains("place            -                       default"))
    }

    @Test func listsOfAVariableAreSeparatedByCommas() throws {
        let resolved = try SettingSources(environment: ["WFD_ALLOW_HOST": "a.example, b.example,"]).resolve()
        #expect(resolved.settings.allowedHosts.map(\.text) == ["a.example", "b.example"])
    }

    @Test func aListMayBeOneText() throws {
        let file = try folder.write("allow-host: a.example\nplace: 7", to: "one.yaml")
        let settings = try SettingSources(file: file, environment: [:]).resolve().settings
        #expect(settings.allowedHosts.map(\.text) == ["a.example"] && settings.place == "7")
    }

    @Test(arguments: ["", "\n", "# nothing\n  # here\n"]) func aFileWithoutSettingsIsGood(text: String) throws {
        let file = try folder.write(text, to: "empty.yaml")
        #expect("\(try SettingSources(checking: file).resolve().settings)" == "\(Settings())")
    }

    /// systemd names the folder; the file in it need not exist.
    @Test func theFileOfTheServiceManagersFolderMayBeMissing() throws {
        let environment = ["CONFIGURATION_DIRECTORY": folder.path]
        #expect(try SettingSources(environment: environment).resolve().settings.place == nil)
        _ = try folder.write("place: here\n", to: "wfd.yaml")
        #expect(try SettingSources(environment: environment).resolve().settings.place == "here")
        let named = try folder.write("place: there\n", to: "other.yaml")
        let both = environment.merging(["WFD_CONFIG": named]) { $1 }
        #expect(try SettingSources(environment: both).resolve().settings.place == "there")
        let flag = SettingSources(file: folder.path("wfd.yaml"), environment: both)
        #expect(try flag.resolve().settings.place == "here")
    }

    /// Each key of the example is in a comment, and has a value that is accepted.
    @Test func theExampleIsGood() throws {
        #expect(throws: Never.self) { try check(SettingPage.example) }
        var text = SettingPage.example.replacing(/#( *[a-z-]+:)/) { String($0.output.1) }
        for key in ["secrets", "ca"] {
            let example = try #require(Setting.all.first { $0.key == key }?.example)
            text = text.replacing("\(key): \(example)", with: "\(key): \(values[key]?.first ?? "")")
        }
        let resolved = try check(text)
        for setting in Setting.all { #expect(resolved.origin(of: setting.key) != .standard, "\(setting.key)") }
    }

    @discardableResult private func check(_ text: String) throws -> ResolvedSettings {
        try SettingSources(checking: folder.write(text, to: "example.yaml")).resolve()
    }

    private static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBjjCCATWgAwIBAgIUASl3zayvtQ31Yv5F41zS3btB1zkwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRYXV0aG9yaXR5LmV4YW1wbGUwIBcNMjYxMTI3MTg1MDAzWhgP
        MjEyNjExMDMxODUwMDNaMBwxGjAYBgNVBAMMEWF1dGhvcml0eS5leGFtcGxlMFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmUwoUb9NJZcAzeOr4eaPYwsgw98Pmtnk
        TrVcW7V87WYileATgaQth7WV4Hf9Br2WJk2YGC3pdlAziKESENHwO6NTMFEwHQYD
        VR0OBBYEFDY+4HqhsOHUWQ3CQQaigiFvHyjpMB8GA1UdIwQYMBaAFDY+4HqhsOHU
        WQ3CQQaigiFvHyjpMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIg
        frJX1rRMIGjenCUNgDoiZzApYeDsZnKnTHECWC143CsCICrMcBeLcPL2cfgBJXgz
        k+PRcQZAG6aBvEbJSY3mJc8k
        -----END CERTIFICATE-----
        """
}
