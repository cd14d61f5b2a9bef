import ArgumentParser
import Logging
import ServiceLifecycle
import UnixSignals

/// Serves the calls of effects in a separate process: started by the figures of effects, not by people.
struct ServeCalls: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve-calls", abstract: "Answers requests over HTTP and tells when they came.",
        shouldDisplay: false)

    @Option(help: ArgumentHelp("The unix socket on which it tells what came.", valueName: "path"))
    var control: String

    func run() async throws {
        let logger = Logger(label: "wfbench") { _ in SwiftLogNoOpLogHandler() }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: CallServer(control: control))],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }
}
