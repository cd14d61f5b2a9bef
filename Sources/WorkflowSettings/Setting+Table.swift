import Foundation
import Logging
import WorkflowAPI
import WorkflowEffects
import WorkflowServer
import WorkflowStore

// The table of settings. A new setting is a property of `Settings` and an entry here.

extension Setting {
    /// The whole table, in the order of help and pages.
    package static let all = daemon + effects

    /// The settings of the daemon itself.
    package static let daemon: [Setting] = [
        .text(
            "database", "file",
            "The database: a file, which wfd creates if it does not exist, or postgres://USER@HOST/DATABASE.",
            example: "/var/lib/wfd/wfd.db",
            in: \.database,
            // Without a place wfd does not start, and says so itself.
            found: { places, _ in try? places.databaseFile() }
        ) { $0 },
        .texts(
            "listen", "address",
            "Listen on this address: unix:PATH, or HOST:PORT with an IP address or localhost; may be repeated.",
            example: "[unix:/run/wfd/wfd.sock, 127.0.0.1:7777]", in: \.listen,
            found: { places, settings in
                // As for the database.
                guard let file = try? settings.database ?? places.databaseFile() else { return nil }
                return (try? places.address(besideDatabase: file)).map { "\($0)" }
            }
        ) { try ListenAddress($0) },
        .text(
            "metrics", "address",
            "Serve only /metrics, /livez and /readyz on this address: unix:PATH, or HOST:PORT.",
            example: "127.0.0.1:7778", in: \.metrics
        ) { try ListenAddress($0) },
        .text(
            "peer", "address",
            "Listen on this address, HOST:PORT, for the other daemons of the same database of PostgreSQL.",
            example: "10.0.0.7:7443", in: \.peer
        ) { text in
            let address = try ListenAddress(text)
            guard case .tcp(let host, _) = address, host != "0.0.0.0", host != "::" else {
                throw SettingMistake("write the one address, HOST:PORT, at which the other daemons reach this one")
            }
            return address
        },
        .texts(
            "allow-host", "name",
            "Accept requests for this host too, beside the address and localhost; may be repeated.",
            example: "[wfd.example]", isReloadable: true, in: \.allowedHosts
        ) { text in
            guard let host = HostName(text) else {
                throw SettingMistake("'\(text)' is no host; write a name or an address without a port")
            }
            return host
        },
        .text(
            "tls-certificate", "file",
            """
            Speak TLS with this certificate and its chain (PEM) on every TCP address; unix sockets stay plain. Loaded \
            anew when it changes.
            """,
            example: "/etc/wfd/tls.pem", isReloadable: true, in: \.certificate
        ) { $0 },
        .text(
            "tls-key", "file", "The certificate's key (PEM), which only its owner may read.",
            example: "/etc/wfd/tls.key", isReloadable: true, in: \.certificateKey
        ) { $0 },
        .truth(
            "without-tls", "Listen beyond loopback without TLS: everybody on the way reads and changes what is sent.",
            example: "false", in: \.isInTheClear),
        .structure(
            "access.unix",
            """
            Give users of this machine roles on unix sockets; the key 'group' names a group. Without it everyone who can \
            open a socket may do everything. Root and the user of wfd always may; with [] nobody else may do anything.
            """,
            example: "[{user: ops, role: operate}, {group: wfd-view, role: view}]", isReloadable: true,
            in: \.unixRules, reading: UnixRuleText.read),
        .text(
            "anonymous", "monitor|view",
            "Give callers over TCP on loopback this role if they have no token; otherwise they need one.",
            example: "view", in: \.anonymous
        ) { text in
            guard let role = Role(rawValue: text), role == .monitor || role == .view else {
                throw SettingMistake("'\(text)' is no role for callers without a token; write monitor or view")
            }
            return role
        },
        .text(
            "clock", "real|virtual",
            "Use this clock; a virtual clock stands still until 'wfctl clock advance' moves it.", standard: "real",
            example: "real", in: \.clock
        ) { text in
            guard let clock = StoreClock(rawValue: text) else {
                throw SettingMistake("'\(text)' is no clock; write real or virtual")
            }
            return clock
        },
        .truth(
            "hold", "Hold effects until 'wfctl release', also after a restart: hand out no task, call nothing.",
            in: \.isHolding),
        .truth("no-copy", "Keep no copy of the database when this wfd upgrades it.", in: \.keepsNoCopy),
        .truth(
            "insecure",
            """
            Use PostgreSQL also where a crash may lose or destroy what was answered, or where others may read or change \
            what is sent.
            """,
            in: \.isInsecure),
        .text(
            "place", "name",
            "The name of this host, if its /etc/machine-id does not last; under another name, wfd holds effects.",
            example: "wfd-1", in: \.place
        ) { try PlaceName.read($0) },
        .text(
            "brake", "n/delay",
            "Suspend an instance that takes this many steps by itself within this time, such as 10000/1m; 0 for never.",
            standard: "10000/1m", example: "10000/1m", in: \.brake, reading: BrakeText.read),
        .text(
            "log-level", "level",
            "Log from this level on: trace, debug, info, notice, warning, error or critical.", standard: "info",
            example: "info", isReloadable: true, in: \.logLevel
        ) { text in
            guard let level = Logger.Level(rawValue: text) else {
                let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingMistake("'\(text)' is no log level; write \(names)")
            }
            return level
        },
    ]

    /// The settings that permit effects of instances.
    package static let effects: [Setting] = [
        .texts(
            "allow-http", "cidr",
            """
            Let effects call these addresses outside the public internet; with a port (127.0.0.1:8402, [::1]:8402), \
            only that port. May be repeated.
            """,
            example: "[10.1.0.0/16, 127.0.0.1:8402]", in: \.callable
        ) { text in
            guard let range = AddressRange(text) else {
                throw SettingMistake(
                    "'\(text)' is no range of addresses; write one as 10.1.0.0/16, ::1/128 or 127.0.0.1:8402")
            }
            return range
        },
        .texts(
            "exec", "name=/path", "Let effects run this program, by the name that machines use; may be repeated.",
            example: "[invoice=/usr/local/bin/invoice]", in: \.programs, identity: \.name
        ) { text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[1].hasPrefix("/") else {  // Proof: there are two
                throw SettingMistake("'\(text)' is no program; write NAME=/path/of/its/file")
            }
            return NamedProgram(name: parts[0], path: parts[1])
        },
        .text(
            "secrets", "folder", "The folder with the secrets that effects may use.",
            standard: "$CREDENTIALS_DIRECTORY", example: "/etc/wfd/secrets", in: \.secrets,
            found: { places, _ in places.secrets }
        ) { path in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
                throw SettingMistake("'\(path)' is no folder")
            }
            return path
        },
        .text(
            "ca", "file", "Trust these certificate authorities (PEM) for calls, beside those of the system.",
            example: "/etc/wfd/ca.pem", in: \.authority
        ) { path in
            guard HTTPExecutor.hasCertificates(path) else {
                throw SettingMistake("'\(path)' has no certificates in PEM that can be read")
            }
            return path
        },
    ]

    /// The conditions on several settings; a mistake is reported at the setting with the key.
    static let conditions: [(key: String, check: @Sendable (Settings) throws -> Void)] = [
        ("listen", { try ListenAddress.refuseRepeated($0.listen) }),
        ("listen", { try $0.refuseInTheClear($0.listen) }),
        ("metrics", { try $0.refuseInTheClear([$0.metrics].compactMap(\.self)) }),
        (
            "tls-certificate",
            { settings in
                guard (settings.certificate == nil) == (settings.certificateKey == nil) else {
                    throw SettingMistake("tls-certificate and tls-key go together: give both or neither")
                }
                guard !settings.isInTheClear || settings.certificate == nil else {
                    throw SettingMistake("tls-certificate contradicts without-tls: give one of them")
                }
            }
        ),
        (
            "anonymous",
            { settings in
                guard settings.anonymous != nil, !settings.listen.contains(where: \.isLoopback) else { return }
                throw SettingMistake(
                    "'anonymous' has no effect: it is for TCP on loopback, and 'listen' has no such address; add one, "
                        + "such as 127.0.0.1:7433, or remove 'anonymous'")
            }
        ),
        (
            "metrics",
            { settings in
                guard let metrics = settings.metrics, settings.listen.contains(metrics) else { return }
                try ListenAddress.refuseRepeated([metrics, metrics])
            }
        ),
    ]
}

/// The name that an operator gives to a machine.
package enum PlaceName {
    /// Returns a name, or throws the reason why a text is not one.
    package static func read(_ text: String) throws -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isPlain, 1...100 ~= text.utf8.count else {
            throw SettingMistake("write 1 to 100 letters, digits and signs, without spaces")
        }
        return text
    }
}
