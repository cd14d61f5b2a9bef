import Foundation
import ThreadTesting
import WorkflowClient
package import WorkflowJSON

/// `Tests/Services/service.py`: other people's HTTP, requests that are recorded, and servers that misbehave.
package final class TestService: Sendable {
    /// Where it listens.
    package struct Ports: Decodable, Sendable {
        package let http: Int
        package let tls: Int
        /// TLS with a certificate of another host.
        package let wrong: Int
        package let raw: Int
        /// On 127.0.0.1 and on 127.0.0.2, each of which says which it is.
        package let twins: Int
        /// Nobody listens there.
        package let closed: Int
        /// The file of the authority's certificate.
        package let ca: String
    }

    package let ports: Ports
    private let folder: TemporaryFolder
    private let program: RunningProgram

    /// Starts it; what it needs of Python is installed by `.ci/python.sh`.
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

    /// Where Python is; nil where it is not.
    package static let python: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin")
        .split(separator: ":").map { $0 + "/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    package var url: String { "http://127.0.0.1:\(ports.http)" }

    /// The requests to its paths that record, in the order in which they came.
    package func recorded() async throws -> [JSONValue] {
        guard case .array(let requests) = try await answer("/recorded") else {
            throw TestingError("the service has not answered with a list")
        }
        return requests
    }

    /// A port before the service, whose first connections do not come through well.
    ///
    /// - Parameter mode: `delay`, `swallow`, `cut`, `cut-within`, `reset` or `reset-early`, as `pass_on` has them.
    package func proxy(_ mode: String, connections: Int) async throws -> Int {
        guard case .int(let port)? = try await answer("/proxy/\(mode)/\(connections)").object?["port"] else {
            throw TestingError("the service has made no proxy")
        }
        return Int(port)
    }

    /// Lets all requests to `/held` be answered, and those to come.
    package func release() async throws { _ = try await answer("/release") }

    private func answer(_ path: String) async throws -> JSONValue {
        let address = Address.tcp(host: "127.0.0.1", port: ports.http)
        let answer = try await onOwnThread { try RawConnection(to: address).answer(to: RawRequest("GET", path)) }
        return try JSONReader.value(from: answer.body)
    }
}
