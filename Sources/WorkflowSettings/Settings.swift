package import Logging
package import WorkflowAPI
package import WorkflowAccess
package import WorkflowEffects
package import WorkflowEngine
package import WorkflowServer
package import WorkflowStore

/// The values of all settings of the daemon.
package struct Settings: Sendable {
    /// The database file; `nil` for the default place.
    package var database: String?
    /// The addresses that serve everything; empty for the default place.
    package var listen: [ListenAddress] = []
    /// The address that serves metrics and health alone.
    package var metrics: ListenAddress?
    /// The address for the other daemons of the same database.
    package var peer: ListenAddress?
    package var allowedHosts: [HostName] = []
    /// The file with the certificate of TLS and its chain; `nil` for no TLS.
    package var certificate: String?
    /// The file with the certificate's key.
    package var certificateKey: String?
    /// True to listen beyond loopback without TLS.
    package var isInTheClear = false
    /// The role of callers without a token over TCP on loopback; `nil` refuses them.
    package var anonymous: Role?
    /// The rules for users of unix sockets; `nil` lets everybody who can open a socket do everything.
    package var unixRules: [UnixRule]?
    package var clock = StoreClock.real
    package var isHolding = false
    package var keepsNoCopy = false
    /// True to use a server of PostgreSQL that may lose what was answered, or a connection that others can read.
    package var isInsecure = false
    /// The operator's name for the machine.
    package var place: String?
    /// The brake; `nil` for none.
    package var brake = EngineLimits().brake
    package var logLevel = Logger.Level.info
    /// The addresses outside the public internet that effects may call.
    package var callable: [AddressRange] = []
    package var programs: [NamedProgram] = []
    /// The folder with the secrets of effects; `nil` for the default place.
    package var secrets: String?
    /// The file with further certificate authorities for calls.
    package var authority: String?

    package init() {}
}

/// A program that effects may run, under the name that machines use.
package struct NamedProgram: Sendable, Equatable {
    package let name: String
    package let path: String
}
