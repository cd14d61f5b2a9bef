import DaemonTesting
import Foundation

/// The programs of the system that tests need.
enum SystemProgram {
    /// Runs a program that must succeed. Returns its output.
    @discardableResult
    static func run(_ program: String, _ arguments: String...) async throws -> String {
        let folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        guard let path = folders.map({ "\($0)/\(program)" }).first(where: FileManager.default.fileExists) else {
            throw TestingError("there is no '\(program)'")
        }
        let result = try await RunningProgram(path, arguments, environment: Programs.environment()).result()
        guard result.end == .exited(0) else { throw TestingError("'\(program)' failed: \(result.errors)") }
        return result.output
    }
}
