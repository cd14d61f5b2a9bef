import ArgumentParser
import Logging
import ServiceLifecycle
import UnixSignals
import WorkflowServer

/// Serves the empty route in a separate process, like `wfd`: started by the figures over HTTP, not by people.
struct ServeEmpty: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve-empty", abstract: "Serves a route that decodes, does nothing and answers.",
        shouldDisplay: false)

    @Option(help: ArgumentHelp("unix:PATH or HOST:PORT on loopback.", valueName: "address"))
    var listen: String

    func run() async throws {
        let logger = Logger(label: "wfbench") { _ in SwiftLogNoOpLogHandler() }
        let server = WorkflowServer(emptyAt: try ListenAddress(listen), logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server)], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
