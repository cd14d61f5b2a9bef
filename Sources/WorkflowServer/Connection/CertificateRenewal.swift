package import Logging
import ServiceLifecycle
import WorkflowAPI
import WorkflowStore

/// Loads a certificate anew when its files have changed. Ends on graceful shutdown.
package struct CertificateRenewal: Service {
    private let certificate: ServerCertificate
    private let look: Duration
    private let logger: Logger

    /// - Parameter look: The interval between two checks of the files.
    package init(_ certificate: ServerCertificate, look: Duration = .seconds(60), logger: Logger) {
        self.certificate = certificate
        self.look = look
        self.logger = logger
    }

    package func run() async throws {
        // The only error is that of the cancellation.
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: look)
                if certificate.hasChanged { renew() }
            }
        }
    }

    private func renew() {
        do {
            try certificate.renew()
            logger.notice("the certificate was loaded", metadata: ["until": "\(until)"])
        } catch {
            logger.error(
                "the certificate was not loaded, the previous one stays",
                metadata: ["error": "\(error)", "until": "\(until)"])
        }
    }

    private var until: String { WireTime(milliseconds: certificate.end.rawValue).text }
}
