import Logging
import WorkflowEffects
import WorkflowEngine
import WorkflowServer
import WorkflowSettings

/// The servers of all addresses of a daemon.
struct AddressServers {
    let servers: [WorkflowServer]
    /// The numbers of the servers, as they begin to listen.
    let listening: AsyncStream<Int>

    /// - Parameters:
    ///   - served: The addresses for callers, with their routes.
    ///   - term: This daemon among those of its store; `nil` for a store that one daemon alone can serve.
    ///   - http: The calls of effects, which must not reach the daemon itself.
    init(
        _ served: [(address: ListenAddress, routes: RouteSelection)], _ settings: Settings, _ live: LiveSettings,
        engine: Engine, term: StoreTerm?, limits: ServerLimits, http: HTTPExecutor, metrics: RequestMetrics,
        logger: Logger
    ) throws {
        let (listening, listens) = AsyncStream.makeStream(of: Int.self)
        let budget = AnswerBudget(lasting: limits, log: engine.log)
        let (definitions, sessions) = (DefinitionQueue(), ConsoleSessions())
        let forwarder = term.map { Forwarder(directory: $0, secret: $0.secret, limits: limits) }
        var servers = served.enumerated().map { number, server in
            WorkflowServer(
                engine: engine, address: server.address, serving: server.routes, budget: budget,
                allowedHosts: live.hosts,
                access: live.control(of: server.address, serving: server.routes, anonymous: settings.anonymous),
                sessions: sessions, certificate: live.certificate, metrics: metrics, definitions: definitions,
                forwarder: forwarder, version: Build.version, limits: limits, logger: logger,
                listening: { port in
                    if let port { http.refuse(ownPort: port) }
                    listens.yield(number)
                })
        }
        if let term, case .tcp(let host, let port) = settings.peer {
            let number = servers.count
            let server = try WorkflowServer(
                engine: engine, forPeersAt: .tcp(host: host, port: port), directory: term,
                secret: term.secret, budget: budget, access: AccessControl(live.book), metrics: metrics,
                definitions: definitions, version: Build.version, limits: limits, logger: logger,
                listening: { port in
                    guard let port else { return }
                    http.refuse(ownPort: port)
                    term.listens(at: "\(ListenAddress.tcp(host: host, port: port))")
                    listens.yield(number)
                })
            servers.append(server)
        }
        (self.servers, self.listening) = (servers, listening)
    }
}
