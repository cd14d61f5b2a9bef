import EngineFloor
import Foundation
import NIOSSL

/// Sends over TLS, beside the same sends over TCP in the clear to another daemon. Both have a token; their connections
/// are kept, so no handshake is in the measured time.
struct EncryptedContest: Contest {
    private let encrypted: Side
    private let plain: Side
    private let seconds: Double

    /// A daemon with its load.
    private struct Side {
        let daemon: ServerProcess
        let load: TCPLoad
    }

    init(_ setting: Setting, clients: Int) async throws {
        seconds = setting.seconds
        let (certificate, key) = try Self.makeCertificate(in: setting.folder)
        var settings = TLSConfiguration.makeClientConfiguration()
        // The handshake identifies the server, and is not measured.
        settings.certificateVerification = .none
        encrypted = try await Self.side(
            setting, "tls", clients, try NIOSSLContext(configuration: settings),
            ["--tls-certificate", certificate, "--tls-key", key])
        plain = try await Self.side(setting, "plain", clients, nil, [])
        for side in [encrypted, plain] { _ = try await side.load.run(seconds: min(0.3, seconds)) }
    }

    private static func side(
        _ setting: Setting, _ name: String, _ clients: Int, _ tls: NIOSSLContext?, _ more: [String]
    ) async throws -> Side {
        let port = try UnixSocket.freePort()
        let daemon = try await ServerProcess.daemon(
            in: setting.folder, name: name, more: ["--listen", "127.0.0.1:\(port)"] + more)
        try daemon.prepare(instances: AccessFigures.instances)
        let book = RequestBook(flips: AccessFigures.instances, token: try daemon.makeToken(), host: "127.0.0.1")
        return Side(daemon: daemon, load: try await TCPLoad(port: port, tls: tls, clients: clients, book: book))
    }

    func ours() async throws -> Sample { try await measured(encrypted) }

    func floor() async throws -> Sample? { try await measured(plain) }

    private func measured(_ side: Side) async throws -> Sample {
        try await AccessFigures.measured(side.daemon, seconds: seconds) { try await side.load.run(seconds: seconds) }
    }

    func end() async throws {
        for side in [encrypted, plain] {
            try await side.load.close()
            try side.daemon.stop()
        }
    }

    /// Makes a certificate that signs itself, and returns the files of it and of its key.
    private static func makeCertificate(in folder: URL) throws -> (certificate: String, key: String) {
        let files = (certificate: folder.appending(path: "tls.pem").path, key: folder.appending(path: "tls.key").path)
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments =
            ["openssl", "req", "-x509", "-days", "2", "-subj", "/CN=wfd", "-out", files.certificate]
            + ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", files.key]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw BenchmarkError("'openssl' made no certificate") }
        return files
    }
}
