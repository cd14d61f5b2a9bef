import DaemonTesting
import WorkflowJSON

extension Daemon {
    /// Returns the output of a `wfctl` that must succeed.
    func said(_ arguments: String...) async throws -> String {
        try await output(of: arguments)
    }

    /// Returns the output of a `wfctl` that must succeed, and may write its progress or a warning to the error stream.
    func saidInTime(_ arguments: String...) async throws -> String { try await saidInTime(arguments) }

    /// Returns the output of a `wfctl` that must succeed, and may write its progress or a warning to the error stream.
    func saidInTime(_ arguments: [String]) async throws -> String {
        let result = try await DaemonTesting.wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(address)"])
        guard result.end == .exited(0) else {
            throw TestingError("'wfctl \(arguments.joined(separator: " "))': \(result)")
        }
        return result.output
    }

    /// Returns the output of a `wfctl` that must succeed, as JSON. It may write its progress to the error stream.
    func json(_ arguments: String...) async throws -> JSONValue {
        try JSONReader.value(from: try await saidInTime(arguments + ["-o", "json"]))
    }

    /// Applies an example and starts an instance with the machine's name.
    func begin(_ machine: String) async throws {
        _ = try await said("apply", Programs.example(machine))
        _ = try await said("start", machine, machine)
    }

    private func output(of arguments: [String]) async throws -> String {
        let result = try await DaemonTesting.wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(address)"])
        guard result.end == .exited(0), result.errors.isEmpty else {
            throw TestingError("'wfctl \(arguments.joined(separator: " "))': \(result)")
        }
        return result.output
    }
}

extension JSONValue {
    /// Returns a member of an object; null if there is none.
    subscript(name: String) -> JSONValue { object?[name] ?? .null }

    /// The elements of a list; empty if the value is not a list.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
