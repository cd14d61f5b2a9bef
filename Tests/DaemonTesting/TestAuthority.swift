import Foundation
import ThreadTesting

/// A certificate authority of one test. It signs with `openssl`, so that nothing expires in the repository.
package struct TestAuthority: Sendable {
    /// A certificate and its key, in PEM.
    package struct Pair: Sendable {
        package let certificate: String
        package let key: String
    }

    private let folder: TemporaryFolder
    private let name: String
    /// The file of the authority's certificate.
    package var file: String { folder.path("\(name).pem") }

    /// - Parameter name: The begin of the authority's files in the folder.
    package init(in folder: TemporaryFolder, name: String = "authority") async throws {
        (self.folder, self.name) = (folder, name)
        try await Self.openssl(
            ["req", "-x509", "-days", "30", "-subj", "/CN=\(name)", "-out", folder.path("\(name).pem")]
                + ["-addext", "keyUsage=critical,keyCertSign,cRLSign"]
                + Self.newKey(folder.path("\(name).key")))
    }

    /// Makes a certificate for hosts, such as `DNS:localhost`, in the files `NAME.pem` and `NAME.key`.
    package func pair(
        _ name: String, for hosts: String = "DNS:localhost,IP:127.0.0.1", days: Int = 30
    ) async throws -> Pair {
        let pair = Pair(certificate: folder.path("\(name).pem"), key: folder.path("\(name).key"))
        let request = folder.path("\(name).csr")
        try await Self.openssl(["req", "-new", "-subj", "/CN=wfd", "-out", request] + Self.newKey(pair.key))
        let extensions = try folder.write("subjectAltName=\(hosts)\nauthorityKeyIdentifier=keyid\n", to: "\(name).ext")
        try await Self.openssl([
            "x509", "-req", "-in", request, "-CA", file, "-CAkey", folder.path("\(self.name).key"), "-days", "\(days)",
            "-extfile", extensions, "-out", pair.certificate,
        ])
        return pair
    }

    private static func newKey(_ path: String) -> [String] {
        ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path]
    }

    private static func openssl(_ arguments: [String]) async throws {
        let result = try await RunningProgram(
            "/usr/bin/openssl", arguments, environment: Programs.environment()
        ).result()
        guard result.end == .exited(0) else { throw TestingError("openssl: \(result.errors)") }
    }
}
