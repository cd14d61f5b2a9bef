import DaemonTesting
import Logging
import SQLiteStore
import ServiceLifecycle
import Synchronization
import WorkflowClient
import WorkflowEngine
import WorkflowServer
import WorkflowStore

/// An engine and a server in this process, on a socket in their own folder.
final class ServerHost: Sendable {
    let engine: Engine
    let address: Address
    /// The path of the database.
    let database: String
    let budget: AnswerBudget
    /// The address for other daemons, if the host has one.
    let peer: PeerAddress
    private let folder: TemporaryFolder
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Returns when the server is listening.
    ///
    /// - Parameters:
    ///   - stored: The store to serve; a database by default.
    ///   - database: The path of the database; a file in the folder by default.
    ///   - sql: The changes to make to the file by hand before it is served.
    ///   - place: The source of the file's place; `nil` for any place.
    ///   - certificate: The certificate of the server, which then listens on TCP.
    ///   - routes: The routes of the address.
    ///   - rule: The last decision about each admitted caller.
    ///   - access: Returns the decision about callers; by default everybody may do everything.
    ///   - isOnTCP: True to listen on a port of loopback instead of a socket in the folder.
    ///   - sessions: The sessions of the console.
    ///   - definitions: The compiler of callers' definitions.
    ///   - forwarder: The forwarder to another host.
    ///   - peers: The directory and the secret of an address for other daemons; `nil` for none.
    ///   - limits: The limits of the server.
    ///   - engine: The limits of the engine.
    ///   - observers: The observers of commits.
    ///   - log: The function that gets every log line, including those at `debug`.
    init(
        stored: (any WorkflowStore)? = nil, database: String? = nil, sql: String? = nil, place: PlaceSource? = nil,
        certificate: ServerCertificate? = nil,
        serving routes: RouteSelection = .all,
        rule: RequestGate.Rule? = nil,
        access: @Sendable (_ database: String) throws -> AccessControl = { _ in .everyone },
        isOnTCP: Bool = false, sessions: ConsoleSessions = ConsoleSessions(),
        definitions: DefinitionQueue = DefinitionQueue(), forwarder: Forwarder? = nil,
        peers: (directory: any RequestDirectory, secret: PeerSecret)? = nil,
        limits: ServerLimits = ServerLimits(),
        engine engineLimits: EngineLimits = EngineLimits(), observers: [any CommitObserver] = [],
        log: (@Sendable (LogEvent) -> Void)? = nil
    ) async throws {
        let folder = try TemporaryFolder()
        let (listening, signal) = AsyncStream.makeStream(of: Void.self)
        let logger = Logger(label: "test") { _ in
            ListeningSignal(signal: signal, log: log, logLevel: log == nil ? .info : .debug)
        }
        let database = database ?? folder.path("wfd.db")
        if let sql {
            try SQLiteFileStore.open(at: database, clock: SystemClock().now()).writer().close()
            try DatabaseFile(database).change(sql)
        }
        let store = try stored ?? SQLiteFileStore.open(at: database, clock: SystemClock().now(), place: place)
        let engine = Engine(store: store, limits: engineLimits, observers: observers, logger: logger)
        let path = folder.path("wfd.sock")
        let port = Mutex(0)
        let peerPort = Mutex(0)
        budget = AnswerBudget(lasting: limits)
        let access = try access((store as? SQLiteFileStore)?.path ?? database)
        let server = WorkflowServer(
            engine: engine,
            address: try ListenAddress(isOnTCP || certificate != nil ? "127.0.0.1:0" : "unix:\(path)"),
            serving: routes, budget: budget, access: access,
            sessions: sessions, certificate: certificate, rule: rule,
            definitions: definitions, forwarder: forwarder, version: "test",
            limits: limits, logger: logger, listening: { number in port.withLock { $0 = number ?? 0 } })
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: engine), .init(service: server),
        ]
        if let peers {
            let server = try WorkflowServer(
                engine: engine, forPeersAt: try ListenAddress("127.0.0.1:0"), directory: peers.directory,
                secret: peers.secret, budget: budget, access: access, version: "test", limits: limits, logger: logger
            ) { number in peerPort.withLock { $0 = number ?? 0 } }
            services.append(.init(service: server))
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services, gracefulShutdownSignals: [], logger: logger))
        self.folder = folder
        self.database = database
        self.engine = engine
        self.group = group
        // Awaited by `stop()`; it ends when the group is told to.
        running = Task { try await group.run() }
        var left = services.count - 1
        for await _ in listening {
            left -= 1
            if left == 0 { break }
        }
        peer = PeerAddress(host: "127.0.0.1", port: peerPort.withLock { $0 })
        let number = port.withLock { $0 }
        address =
            certificate != nil
            ? .tls(host: "127.0.0.1", port: number)
            : isOnTCP ? .tcp(host: "127.0.0.1", port: number) : .unix(path: path)
    }

    /// Sends requests on one connection, one after another. Blocks a separate thread, because the server needs the
    /// others.
    func answers(to requests: [RawRequest]) async throws -> [RawAnswer] {
        try await onOwnThread { [address] in
            let connection = try RawConnection(to: address)
            return try requests.map { try connection.answer(to: $0) }
        }
    }

    /// Sends one request on a connection of its own.
    func answer(to request: RawRequest) async throws -> RawAnswer {
        try await onOwnThread { [address] in try RawConnection(to: address).answer(to: request) }
    }

    /// Stops both and waits for their ends.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
    }
}

/// A log handler that signals when a server reports that it listens, and passes every line on.
private struct ListeningSignal: LogHandler {
    let signal: AsyncStream<Void>.Continuation
    let log: (@Sendable (LogEvent) -> Void)?
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        if ["listening", "serving metrics", "serving other daemons"].contains("\(event.message)") { signal.yield() }
        log?(event)
    }
}
