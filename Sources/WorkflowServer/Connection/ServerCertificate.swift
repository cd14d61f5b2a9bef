import Foundation
import NIOCore
import NIOSSL
import Synchronization
import WorkflowAPI
import WorkflowEngine
package import WorkflowStore

/// The certificate and the key with which TCP addresses speak TLS. Each new connection takes the pair that was loaded
/// last.
package final class ServerCertificate: Sendable {
    private let state: Mutex<State>

    private struct State {
        var certificate: String
        var key: String
        var context: NIOSSLContext
        var end: Timestamp
        /// The files at the last attempt to load them.
        var tried: [FileStamp?]
    }

    /// Loads a pair from two files in PEM.
    package init(certificate: String, key: String) throws(CertificateError) {
        state = Mutex(try Self.loaded(certificate, key))
    }

    /// The context for a new connection.
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// The time when the certificate expires.
    package var end: Timestamp { state.withLock { $0.end } }

    /// True if a file has changed since the last attempt to load the pair.
    package var hasChanged: Bool {
        let (certificate, key, tried) = state.withLock { ($0.certificate, $0.key, $0.tried) }
        return tried != [certificate, key].map(FileStamp.init)
    }

    /// Loads the pair anew. Throws and keeps the previous pair if the new pair cannot be used.
    func renew() throws(CertificateError) {
        let (certificate, key) = state.withLock { ($0.certificate, $0.key) }
        let tried = [certificate, key].map(FileStamp.init)
        state.withLock { $0.tried = tried }
        try prepared(certificate: certificate, key: key)()
    }

    /// Loads a pair, and returns the function that new connections take it from then on. Throws if it cannot be used.
    package func prepared(certificate: String, key: String) throws(CertificateError) -> @Sendable () -> Void {
        let loaded = try Self.loaded(certificate, key)
        return { self.state.withLock { $0 = loaded } }
    }

    private static func loaded(_ certificate: String, _ key: String) throws(CertificateError) -> State {
        let tried = [certificate, key].map(FileStamp.init)
        let (context, end) = try load(certificate, key)
        return State(certificate: certificate, key: key, context: context, end: end, tried: tried)
    }

    private static func load(
        _ certificate: String, _ key: String
    ) throws(CertificateError) -> (NIOSSLContext, Timestamp) {
        let chain: [NIOSSLCertificate]
        let text = try bytes(of: certificate, isSecret: false)
        do {
            chain = try NIOSSLCertificate.fromPEMBytes(text)
        } catch {
            throw CertificateError(certificate, "it has no certificate in PEM that can be read")
        }
        guard let leaf = chain.first else { throw CertificateError(certificate, "it has no certificate in PEM") }
        // The last second that a certificate can name (RFC 5280, 4.1.2.5).
        let end = Timestamp(rawValue: Int64(min(leaf.notValidAfter, 253_402_300_799)) * 1_000)
        guard end > SystemClock().now() else {
            throw CertificateError(certificate, "it has expired at \(WireTime(milliseconds: end.rawValue).text)")
        }
        let secret: NIOSSLPrivateKey
        let secretText = try bytes(of: key, isSecret: true)
        do {
            secret = try NIOSSLPrivateKey(bytes: secretText, format: .pem)
        } catch {
            throw CertificateError(key, "it has no key in PEM that can be read without a passphrase")
        }
        var settings = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(secret))
        settings.minimumTLSVersion = .tlsv12
        settings.applicationProtocols = ["http/1.1"]
        // Nobody's goodbye is awaited: a caller that gives none would keep its place (RFC 8446, 6.1).
        settings.shutdownTimeout = .milliseconds(1)
        do {
            return (try NIOSSLContext(configuration: settings), end)
        } catch {
            throw CertificateError(certificate, "the key in '\(key)' is that of another certificate")
        }
    }

    private static func bytes(of path: String, isSecret: Bool) throws(CertificateError) -> [UInt8] {
        // A pipe must not block the daemon.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw CertificateError(path, String(cString: strerror(errno))) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CertificateError(path, "it is no regular file")
        }
        guard !isSecret || status.st_mode & 0o077 == 0 else {
            throw CertificateError(path, "others than its owner may use the key; 'chmod 600' it")
        }
        do {
            return try Array(file.read(upToCount: 1 << 20) ?? Data())
        } catch {
            throw CertificateError(path, "it cannot be read: \(error)")
        }
    }
}

/// Identifies the content of a file as it is on the disk now.
private struct FileStamp: Equatable {
    private let parts: [Int64]

    /// Finds the stamp of a path; `nil` if nothing is there.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        parts = [
            Int64(clamping: status.st_ino), Int64(status.st_size), Int64(status.st_mode), Int64(status.st_mtim.tv_sec),
            Int64(status.st_mtim.tv_nsec), Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec),
        ]
    }
}

/// The error that a certificate or its key cannot be used.
package struct CertificateError: Error, CustomStringConvertible {
    package let description: String

    init(_ file: String, _ reason: String) {
        description = "Cannot use '\(file)' for TLS: \(reason)"
    }
}
