import Foundation
import ThreadTesting
import WorkflowClient
package import WorkflowJSON

/// Runs `Tests/Services/service.py`: an HTTP service of another party, which records requests, and servers that
/// misbehave.
package final class TestService: Sendable {
    /// The ports on which the service listens.
    package struct Ports: Decodable, Sendable {
        package let http: Int
        package let tls: Int
        /// The port that serves TLS with the certificate of another host.
        package let wrong: Int
        package let raw: Int
        /// The port on 127.0.0.1 and on 127.0.0.2. Each answers which of them it is.
        package let twins: Int
        /// A port on which nothing listens.
        package let closed: Int
        /// The file of the authority's certificate.
        package let ca: String
    }

    package let ports: Ports
    private let folder: TemporaryFolder
    private let program: RunningProgram

    /// Starts the service. `.ci/python.sh` installs the Python packages that it needs.
    package init() async throws {
        guard let python = Self.python else { throw TestingError("there is no python3 on this system") }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let packages = root.deletingLastPathComponent().appending(path: ".build/python").path
        folder = try TemporaryFolder()
        program = try RunningProgram(
            python, [root.appending(path: "Services/service.py").path, folder.path],
            environment: Programs.environment(["PYTHONPATH": packages]))
        let line = try await program.outputLines(containing: "\"http\"").first ?? ""
        ports = try JSONDecoder().decode(Ports.self, from: Data(line.utf8))
    }

    /// The path of Python; `nil` if it is not installed.
    package static let python: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
        .split(separator: ":").map { $0 + "/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    package var url: String { "http://127.0.0.1:\(ports.http)" }

    /// Returns the recorded requests, in the order in which they came.
    package func recorded() async throws -> [JSONValue] {
        guard case .array(let requests) = try await answer("/recorded") else {
            throw TestingError("the service has not answered with a list")
        }
        return requests
    }

    /// Starts a port in front of the service, whose first connections are disturbed.
    ///
    /// - Parameter mode: `delay`, `swallow`, `cut`, `cut-within`, `reset` or `reset-early`, as `pass_on` has them.
    package func proxy(_ mode: String, connections: Int) async throws -> Int {
        guard case .int(let port)? = try await answer("/proxy/\(mode)/\(connections)").object?["port"] else {
            throw TestingError("the service has made no proxy")
        }
        return Int(port)
    }

    /// Lets the service answer all requests to `/held`, also those to come.
    package func release() async throws { _ = try await answer("/release") }

    private func answer(_ path: String) async throws -> JSONValue {
        let address = Address.tcp(host: "127.0.0.1", port: ports.http)
        let answer = try await onOwnThread { try RawConnection(to: address).answer(to: RawRequest("GET", path)) }
        return try JSONReader.value(from: answer.body)
    }
}
