import Logging
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowServer
import WorkflowSettings
import WorkflowStore

/// The parts of the daemon that take new values of settings while it runs.
struct LiveSettings: Sendable {
    let hosts: FurtherHosts
    let book: AccessBook
    /// The certificate of TLS; `nil` for no TLS.
    let certificate: ServerCertificate?
    private let rules = RuleReader()

    init(_ settings: Settings) throws {
        hosts = FurtherHosts(settings.allowedHosts)
        book = AccessBook(unix: try settings.unixRules.map(rules.access)) {
            WireTime(milliseconds: SystemClock().now().rawValue)
        }
        certificate = try settings.certificateFiles.map { try ServerCertificate(certificate: $0, key: $1) }
    }

    /// Returns the functions that take new values, all or none.
    func takers(since started: Settings, _ logger: Logger) -> [SettingTaker] {
        [
            { settings in { DaemonLog.level.set(settings.logLevel) } },
            { [hosts] settings in { hosts.replace(with: settings.allowedHosts) } },
            { [book, rules] settings in
                // A line that was lost must not open the sockets to everybody.
                if started.unixRules != nil, settings.unixRules == nil {
                    throw SettingMistake(
                        "access.unix is missing: without it everyone who can open a socket may do everything; restart "
                            + "wfd if that is meant")
                }
                let unix = try settings.unixRules.map(rules.access)
                return { book.set(unix) }
            },
            { [certificate] settings in
                guard let certificate, let files = settings.certificateFiles else {
                    if certificate == nil, settings.certificateFiles == nil { return {} }
                    throw SettingMistake("TLS begins or ends with a restart")
                }
                let hasChanged = certificate.hasChanged
                let take = try certificate.prepared(certificate: files.certificate, key: files.key)
                return {
                    take()
                    guard hasChanged else { return }
                    let end = WireTime(milliseconds: certificate.end.rawValue)
                    logger.notice("the certificate was loaded", metadata: ["until": "\(end.text)"])
                }
            },
        ]
    }

    /// Returns the decision about the callers of an address.
    ///
    /// An address for metrics on loopback needs no token: Prometheus on the same machine has none.
    func control(of address: ListenAddress, serving routes: RouteSelection, anonymous: Role?) -> AccessControl {
        guard address.isLocal else { return AccessControl(book) }
        return AccessControl(book, anonymous: routes == .metrics ? anonymous ?? .monitor : anonymous)
    }
}

extension Settings {
    /// The files of TLS; `nil` for no TLS.
    fileprivate var certificateFiles: (certificate: String, key: String)? {
        guard let certificate, let certificateKey else { return nil }
        return (certificate, certificateKey)
    }
}
