import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowInterchange

/// `wfctl import`.
struct Import: Verb {
    /// The notation of the imported machine.
    enum Notation: String, CaseIterable, ExpressibleByArgument {
        case scxml, xstate
    }

    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Convert an SCXML document or an XState configuration to a definition.",
        discussion: """
            $ wfctl import door.scxml

            wfctl prints the definition, in YAML unless '-o json' asks for JSON. Standard error lists each feature \
            without a counterpart, with its position.

            A 'loss' can change the behaviour of the machine. If there is one, nothing is printed and the exit code is \
            65. '--lossy' prints the definition anyway; its description then names the losses.
            """)

    @Argument(
        help: ArgumentHelp("SCXML, or XState's configuration as JSON; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The notation of the file. (default: detected from the text)", valueName: "notation"))
    var from: Notation?

    @Flag(help: "Print the definition even if there are losses.")
    var lossy = false

    @OptionGroup var global: GlobalOptions

    func run(in session: Session) async throws {
        let bytes = try session.environment.files.read(file, limit: APILimits.bodyBytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badData, "Cannot import '\(file)': the text is not valid UTF-8")
        }
        let imported: ImportedDefinition
        do throws(ImportError) {
            imported = try definition(from: text)
        } catch {
            for note in error.notes { try session.say(DiagnosticText.styled("\(file):\(note)")) }
            throw CommandFailure(.badData, "Cannot import '\(file)': see above")
        }
        for note in imported.notes { try session.say(DiagnosticText.styled("\(file):\(note)")) }
        let losses = imported.losses.count
        guard losses == 0 || lossy else {
            let noun = losses == 1 ? "loss" : "losses"
            throw CommandFailure(
                .badData,
                "Cannot import '\(file)': \(losses) \(noun) can change the machine's behaviour; "
                    + "'--lossy' prints the definition anyway")
        }
        let isJSON = session.format == .json || session.format == .jsonl
        try session.write(document: imported.definition.text(as: isJSON ? .json : .yaml))
    }

    private func definition(from text: String) throws(ImportError) -> ImportedDefinition {
        let first = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" }
        switch from ?? (first == "<" ? .scxml : .xstate) {
        case .scxml: return try SCXMLImport.definition(from: text)
        case .xstate: return try XStateImport.definition(from: text)
        }
    }
}
