import Foundation
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
package import WorkflowEngine

/// Serves the API, or a part of it, on one address.
///
/// On graceful shutdown, the server accepts no new connections, answers the requests that have begun, and ends.
package struct WorkflowServer: Service {
    private let address: ListenAddress
    private let routes: RouteSelection
    private let responder: ServerResponder
    private let sessions: ConsoleSessions
    private let allowedHosts: FurtherHosts
    private let budget: AnswerBudget
    private let sends: (@Sendable (Peer) -> SendHandler)?
    private let forwarder: Forwarder?
    private let encryption: ConnectionEncryption
    private let limits: ServerLimits
    private let access: AccessControl
    /// The connections of the address; they are kept when the server binds the address again.
    private let connections: Connections
    private let logger: Logger
    private let listening: @Sendable (_ port: Int?) -> Void

    /// Creates a server for an engine.
    ///
    /// - Parameters:
    ///   - routes: The routes that the address serves.
    ///   - budget: The daemon's budget, shared by all its servers.
    ///   - allowedHosts: The hosts that a request may name, besides the address and `localhost`.
    ///   - access: The decision who calls, and what the caller may do.
    ///   - sessions: The sessions of the console, shared by all the daemon's servers.
    ///   - certificate: The daemon's certificate, with which TCP addresses speak TLS; `nil` for none.
    ///   - rule: The last decision about each admitted caller; `nil` for none.
    ///   - metrics: The daemon's metrics, shared by all its servers.
    ///   - definitions: The daemon's queue for definitions that callers send, shared by all its servers.
    ///   - forwarder: The forwarder to the daemon that owns the data; `nil` if this daemon serves its store alone.
    ///   - version: The daemon's version, reported by `/livez`.
    ///   - listening: Called when the address is bound, with its port on TCP; again when a lost socket is bound again.
    package init(
        engine: Engine, address: ListenAddress, serving routes: RouteSelection = .all, budget: AnswerBudget,
        allowedHosts: FurtherHosts = FurtherHosts(), access: AccessControl,
        sessions: ConsoleSessions = ConsoleSessions(), certificate: ServerCertificate? = nil,
        rule: RequestGate.Rule? = nil,
        metrics: RequestMetrics = RequestMetrics(), definitions: DefinitionQueue = DefinitionQueue(),
        forwarder: Forwarder? = nil, version: String, limits: ServerLimits = ServerLimits(),
        logger: Logger, listening: @escaping @Sendable (_ port: Int?) -> Void = { _ in }
    ) {
        let problems = ProblemAnswers(log: engine.log, metrics: metrics, engine: engine, routes: routes)
        let placement = forwarder.map { RequestPlacement.forwarding($0) } ?? .alone
        let gate = RequestGate(hosts: address.hosts(allowing: allowedHosts), access: access, rule: rule)
        let endpoint = EventEndpoint(engine: engine, budget: budget)
        let handlers = Self.handlers(
            endpoint: endpoint, access: access, sessions: sessions, metrics: metrics, definitions: definitions,
            certificate: certificate, forwarder: forwarder, version: version, limits: limits)
        let console = ConsoleEndpoint(
            gate: gate, access: access, sessions: sessions, budget: budget, engine: engine,
            isOnTCP: address.isTCP, isEncrypted: address.isTCP && certificate != nil)
        let sends = Self.sends(endpoint, gate: gate, placement, problems)
        self.init(
            address: address, serving: routes,
            router: handlers.only(routes).router(gate: gate, problems: problems, placement: placement),
            budget: budget, access: access, sends: routes == .all ? sends : nil, forwarder: forwarder,
            console: routes == .all ? console : nil,
            sessions: sessions, allowedHosts: allowedHosts,
            encryption: certificate.flatMap { address.isTCP ? .certificate($0) : nil } ?? .none, limits: limits,
            logger: logger, listening: listening)
    }

    /// Creates the server for the other daemons of the same store, which forward requests to it.
    ///
    /// It speaks TLS with the daemons' secret, and gives no answer to anybody else. It heeds the callers that the other
    /// daemons name. A daemon that does not own the data refuses what they forward, so that they look again.
    ///
    /// - Parameters:
    ///   - address: The address for other daemons, on TCP.
    ///   - directory: The directory that knows the owner.
    ///   - secret: The secret that the daemons share.
    package init(
        engine: Engine, forPeersAt address: ListenAddress, directory: any RequestDirectory, secret: PeerSecret,
        budget: AnswerBudget, access: AccessControl, metrics: RequestMetrics = RequestMetrics(),
        definitions: DefinitionQueue = DefinitionQueue(), version: String, limits: ServerLimits = ServerLimits(),
        logger: Logger, listening: @escaping @Sendable (_ port: Int?) -> Void = { _ in }
    ) throws {
        let access = access.ofPeers
        let problems = ProblemAnswers(log: engine.log, metrics: metrics, engine: engine, routes: .peers)
        let gate = RequestGate(hosts: nil, access: access)
        let endpoint = EventEndpoint(engine: engine, budget: budget)
        let placement = RequestPlacement.ofPeers(directory)
        let handlers = Self.handlers(
            endpoint: endpoint, access: access, metrics: metrics, definitions: definitions, version: version,
            limits: limits)
        self.init(
            address: address, serving: .peers,
            router: handlers.only(.peers).router(gate: gate, problems: problems, placement: placement), budget: budget,
            access: access, sends: Self.sends(endpoint, gate: gate, placement, problems),
            encryption: .secret(try NIOSSLContext(configuration: secret.serverSettings)), limits: limits,
            logger: logger, listening: listening)
    }

    /// - Parameter sends: Creates the handler that takes events on a connection without the router.
    init(
        address: ListenAddress, serving routes: RouteSelection = .all, router: Router<ServerContext>,
        budget: AnswerBudget = AnswerBudget(), access: AccessControl,
        sends: (@Sendable (Peer) -> SendHandler)? = nil, forwarder: Forwarder? = nil, console: ConsoleEndpoint? = nil,
        sessions: ConsoleSessions = ConsoleSessions(), allowedHosts: FurtherHosts = FurtherHosts(),
        encryption: ConnectionEncryption = .none, limits: ServerLimits = ServerLimits(), logger: Logger,
        listening: @escaping @Sendable (_ port: Int?) -> Void = { _ in }
    ) {
        self.listening = listening
        self.address = address
        self.routes = routes
        responder = ServerResponder(api: router.buildResponder(), console: console)
        (self.sessions, self.allowedHosts) = (sessions, allowedHosts)
        self.budget = budget
        self.access = access
        (self.sends, self.forwarder) = (sends, forwarder)
        self.encryption = encryption
        self.limits = limits
        connections = Connections(bound: limits.connections, extraBound: limits.extraConnections)
        self.logger = logger
    }

    /// Returns the function that creates the handler that takes events on a connection without the router.
    private static func sends(
        _ endpoint: EventEndpoint, gate: RequestGate, _ placement: RequestPlacement, _ problems: ProblemAnswers
    ) -> @Sendable (Peer) -> SendHandler {
        let date = DateHeader()
        return {
            SendHandler(
                endpoint: endpoint, gate: gate, placement: placement, problems: problems, date: date, peer: $0)
        }
    }

    /// Returns the handlers of all routes.
    static func handlers(
        endpoint: EventEndpoint, access: AccessControl, sessions: ConsoleSessions = ConsoleSessions(),
        metrics: RequestMetrics = RequestMetrics(),
        definitions: DefinitionQueue = DefinitionQueue(), certificate: ServerCertificate? = nil,
        forwarder: Forwarder? = nil, version: String, limits: ServerLimits = ServerLimits()
    ) -> RouteHandlers {
        let (engine, budget) = (endpoint.engine, endpoint.budget)
        var handlers = RouteHandlers()
        MachineRoutes(engine: engine, budget: budget, definitions: definitions, limits: limits)
            .register(on: &handlers)
        InstanceRoutes(engine: engine, budget: budget).register(on: &handlers)
        CountRoutes(engine: engine, budget: budget).register(on: &handlers)
        EventRoutes(engine: engine, endpoint: endpoint).register(on: &handlers)
        RepairRoutes(engine: engine, budget: endpoint.budget).register(on: &handlers)
        DeleteRoutes(engine: engine).register(on: &handlers)
        AuditRoutes(engine: engine, budget: budget).register(on: &handlers)
        BulkRoutes(engine: engine, budget: budget).register(on: &handlers)
        HistoryRoutes(engine: engine, budget: budget).register(on: &handlers)
        StreamRoutes(engine: engine, budget: budget, limits: limits).register(on: &handlers)
        BatchRoutes(engine: engine, budget: budget, metrics: metrics).register(on: &handlers)
        StatsRoutes(engine: engine).register(on: &handlers)
        ReplayRoutes(engine: engine, definitions: definitions).register(on: &handlers)
        TaskRoutes(engine: engine, budget: budget).register(on: &handlers)
        EffectRoutes(engine: engine, budget: budget).register(on: &handlers)
        QueueRoutes(engine: engine, budget: budget).register(on: &handlers)
        TimerRoutes(engine: engine).register(on: &handlers)
        ClockRoutes(engine: engine).register(on: &handlers)
        BackupRoutes(engine: engine, limits: limits).register(on: &handlers)
        HealthRoutes(engine: engine, version: version).register(on: &handlers)
        StatusRoutes(engine: engine, budget: budget, certificate: certificate, access: access, version: version)
            .register(on: &handlers)
        AccessRoutes(engine: engine, access: access, sessions: sessions).register(on: &handlers)
        DaemonRoutes(engine: engine, directory: forwarder?.directory, version: version).register(on: &handlers)
        MetricsRoutes(
            engine: engine, requests: metrics, certificate: certificate, forwards: forwarder?.counts, version: version
        ).register(on: &handlers)
        return handlers
    }

    /// Calls a body that resumes many requests, so that each event loop wakes once. An engine answers a batch with this
    /// function.
    package static let resuming: @Sendable (() -> Void) -> Void = { GatheredCalls.gather($0) }

    package func run() async throws {
        try await withGracefulShutdownHandler { [self] in
            try await serve()
        } onGracefulShutdown: { [forwarder] in
            forwarder?.stop()
        }
    }

    private func serve() async throws {
        guard case .unix(let path) = address else { return try await listener(on: nil).run() }
        try await SocketKeeper(path: path, look: limits.socketLook, logger: logger) { file in listener(on: file) }.run()
    }

    /// Returns the service that listens on the address until graceful shutdown.
    private func listener(on file: UnixSocketFile?) -> some Service {
        let application = Application(
            responder: responder,
            server: HTTPServerBuilder { [address, connections, budget, access, sends, encryption, limits] responder in
                LoopChannel(
                    responder: responder, isOnTCP: address.isTCP, encryption: encryption, connections: connections,
                    budget: budget, access: access, sends: sends, limits: limits)
            },
            configuration: ApplicationConfiguration(
                address: file.map { .unixDomainSocket(path: $0.bindingPath) } ?? address.bindAddress,
                availableConnectionsDelegate: MaximumAvailableConnections(limits.allConnections)),
            onServerRunning: { [logger, address, routes, encryption, sessions, allowedHosts, listening] channel in
                file?.wasBound()
                if address.isTCP, routes == .all {
                    sessions.serve(
                        ConsolePlace(
                            address: address.bound(to: channel.localAddress), isEncrypted: encryption.isTLS,
                            hosts: allowedHosts))
                }
                listening(address.isTCP ? channel.localAddress?.port : nil)
                logger.info(
                    routes.announcement,
                    metadata: [
                        "address": "\(encryption.isTLS ? "https://" : "")\(address.bound(to: channel.localAddress))"
                    ])
            },
            logger: logger.quieter
        )
        return Listener(address: address, application: application)
    }

    private struct Listener: Service {
        let address: ListenAddress
        let application: Application<ServerResponder>

        func run() async throws {
            do {
                try await application.run()
            } catch let error as IOError {
                throw ListenAddressError("\(address)", String(cString: strerror(error.errnoCode)))
            }
        }
    }
}

extension RouteSelection {
    /// The log line of an address that is bound.
    fileprivate var announcement: Logger.Message {
        switch self {
        case .all: "listening"
        case .metrics: "serving metrics"
        case .peers: "serving other daemons"
        }
    }
}

extension ListenAddress {
    fileprivate var bindAddress: BindAddress {
        switch self {
        case .unix(let path): .unixDomainSocket(path: path)
        case .tcp(let host, let port): .hostname(host, port: port)
        }
    }

    fileprivate var isTCP: Bool {
        if case .tcp = self { true } else { false }
    }

    /// Returns the hosts that requests may name.
    fileprivate func hosts(allowing others: FurtherHosts) -> AllowedHosts {
        switch self {
        case .unix: AllowedHosts(ofSocketAnd: others)
        case .tcp(let host, _): AllowedHosts(listeningOn: host, others: others)
        }
    }

    /// Returns the address with the port that the system chose if the address has port 0.
    fileprivate func bound(to local: SocketAddress?) -> ListenAddress {
        guard case .tcp(let host, 0) = self, let port = local?.port else { return self }
        return .tcp(host: host, port: port)
    }
}

extension Logger {
    /// The logger for a library that logs more than an operator wants to read. The daemon's handler reads the level as
    /// a bound, which gives way at `trace`.
    package var quieter: Logger {
        var logger = self
        logger.logLevel = max(logLevel, .notice)
        return logger
    }
}
