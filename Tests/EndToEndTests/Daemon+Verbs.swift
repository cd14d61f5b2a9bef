import DaemonTesting
import WorkflowJSON

extension Daemon {
    /// What a `wfctl` that must succeed prints.
    func said(_ arguments: String...) async throws -> String {
        try await output(of: arguments)
    }

    /// The same of a verb that may tell something on the error stream: how far it is, or a warning.
    func saidInTime(_ arguments: String...) async throws -> String {
        let result = try await DaemonTesting.wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(address)"])
        guard result.end == .exited(0) else {
            throw TestingError("'wfctl \(arguments.joined(separator: " "))': \(result)")
        }
        return result.output
    }

    /// What a `wfctl` that must succeed prints as JSON.
    func json(_ arguments: String...) async throws -> JSONValue {
        try JSONReader.value(from: try await output(of: arguments + ["-o", "json"]))
    }

    /// Applies an example and starts an instance of it, which has its machine's name.
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
    /// A member of an object; null when there is none.
    subscript(name: String) -> JSONValue { object?[name] ?? .null }

    /// The elements of a list; empty when this is none.
    var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
