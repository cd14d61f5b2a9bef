import Statechart
import WorkflowAPI

/// A definition in a file, read and checked.
struct DefinitionFile {
    /// The path; `-` for standard input.
    let path: String
    let bytes: [UInt8]
    /// The machine; `nil` if the definition has mistakes.
    let machine: Machine?
    /// The mistakes and warnings, in the order of the text.
    let diagnostics: [Diagnostic]

    /// Reads and checks a file; throws only if there is nothing to check.
    ///
    /// - Parameter isInMemory: True to take also what only machines in memory can do.
    init(path: String, in session: Session, isInMemory: Bool = false) throws {
        self.path = path
        bytes = try session.environment.files.read(path, limit: APILimits.bodyBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            machine = nil
            diagnostics = [Diagnostic(.error, line: 1, column: 1, message: "the text is not valid UTF-8")]
            return
        }
        let isJSON = path.hasSuffix(".json")
        do {
            let reading = try DefinitionReader.read(text, syntax: isJSON ? .json : .detected, isInMemory: isInMemory)
            machine = reading.machine
            diagnostics = reading.warnings
        } catch {
            machine = nil
            diagnostics = error.diagnostics
        }
    }

    /// Reads several files; one of them may be standard input.
    static func all(_ paths: [String], in session: Session) throws -> [DefinitionFile] {
        guard paths.count(where: { $0 == "-" }) <= 1 else {
            throw CommandFailure(.usage, "Standard input can be read only once: '-' is given twice")
        }
        return try paths.map { try DefinitionFile(path: $0, in: session) }
    }

    /// The media type for sending the file. JSON without the suffix `.json` is valid YAML too.
    var mediaType: DefinitionMediaType { path.hasSuffix(".json") ? .json : .yaml }

    /// The diagnostics as `FILE:LINE:COLUMN: error: message`, one line each.
    var diagnosticLines: [String] { diagnostics.map { "\(path):\($0)" } }

    /// Returns the lines of the daemon's diagnostics that `diagnosticLines` does not have.
    func lines(of told: [DefinitionDiagnostic]) -> [String] {
        let told = told.map { "\(path):\($0.line):\($0.column): \($0.severity.rawValue): \($0.message)" }
        return told.filter { !diagnosticLines.contains($0) }
    }
}
