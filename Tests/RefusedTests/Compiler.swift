import DaemonTesting
import Foundation

/// The compiler that built the tests, called as for a user's package.
enum Compiler {
    /// Returns the diagnostics of a program; errors and notes in other files have line 0.
    static func diagnostics(of program: String) async throws -> [Diagnostic] {
        let build = URL(filePath: try Programs.path("Modules")).deletingLastPathComponent()
        // A release build shares the modules of C with this one.
        let checkouts = build.deletingLastPathComponent().deletingLastPathComponent().appending(path: "checkouts")
        // To the end of what the compiler refuses: who may use what from where is looked at behind the types.
        let arguments =
            ["swiftc", "-swift-version", "6", "-emit-sil", "-o", "/dev/null", "-no-color-diagnostics"]
            + ["-diagnostic-style", "llvm", "-module-cache-path", build.appending(path: "ModuleCache").path]
            + ["-I", build.appending(path: "Modules").path]
            // A module of C that ours are made with.
            + ["-I", build.appending(path: "CRE2.build").path]
            + ["-I", checkouts.appending(path: "Yams/Sources/CYaml/include").path, program]
        let compiler = try RunningProgram("/usr/bin/env", arguments, environment: Programs.environment())
        let result = try await compiler.result()
        let said = result.errors.split(separator: "\n").compactMap { diagnostic($0, of: program) }
        if (result.end == .exited(0)) == said.contains(where: { $0.kind == .error }) {
            throw TestingError("\(result.end): \(result.errors)")
        }
        return said
    }

    /// Reads a line such as `/a/B.swift:3:10: error: message`.
    private static func diagnostic(_ line: Substring, of program: String) -> Diagnostic? {
        guard let parts = line.wholeMatch(of: /(\/[^:]*|<unknown>):(\d+)(?::\d+)?: (error|note): (.*)/),
            let number = Int(parts.2), let kind = Diagnostic.Kind(rawValue: String(parts.3))
        else { return nil }
        return Diagnostic(line: parts.1 == program ? number : 0, kind: kind, message: String(parts.4))
    }
}
