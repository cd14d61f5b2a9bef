import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowJSON

/// `wfctl validate`.
struct Validate: Verb {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Check definitions without a daemon.",
        discussion: "$ wfctl validate order.yaml")

    @Argument(
        help: ArgumentHelp("Definitions in YAML or JSON; - is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup var global: GlobalOptions

    var needsItsOutputRead: Bool { true }

    func run(in session: Session) async throws {
        let checked = try DefinitionFile.all(files, in: session).map(Checked.init)
        var printer = ListPrinter(session, columns: Checked.columns)
        for one in checked { try printer.add([one]) }
        try printer.end()
        if checked.contains(where: { $0.file.machine == nil }) { throw CommandFailure(.badData, nil) }
    }
}

/// The result for one file.
private struct Checked: JSONWritable {
    let file: DefinitionFile

    static let columns: [Table<Checked>.Column] = [
        .init(nil) { ($0.file.diagnosticLines + $0.verdict).joined(separator: "\n") }
    ]

    private var verdict: [String] {
        guard let machine = file.machine else { return [] }
        return ["\(file.path): ok (machine '\(machine.name)', \(states(of: machine)) states)"]
    }

    /// Returns the number of states without the root, which is the machine itself.
    private func states(of machine: Machine) -> Int { machine.states.count - 1 }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("file", file.path)
            writer.field("valid", file.machine != nil)
            if let machine = file.machine {
                writer.field("machine", machine.name)
                writer.field("states", states(of: machine))
            }
            writer.field("diagnostics", file.diagnostics.map(DefinitionDiagnostic.init))
        }
    }
}

extension DefinitionDiagnostic {
    /// Converts a diagnostic of the definition reader to its wire form.
    init(_ diagnostic: Diagnostic) {
        self.init(
            severity: diagnostic.severity == .error ? .error : .warning, line: diagnostic.line,
            column: diagnostic.column, message: diagnostic.message)
    }
}
