import ArgumentParser
import WorkflowAPI
import WorkflowClient
import WorkflowJSON

/// `wfctl apply`.
struct Apply: Verb {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Apply definitions as the latest versions of their machines.",
        discussion: """
            $ wfctl apply order.yaml

            wfctl checks all files before it sends the first one. If one has mistakes, nothing is applied, and the \
            exit code is 65. With --no-activate, new instances keep the version that they take now, until 'wfctl \
            machine activate' selects another.

            An unchanged definition makes a new version only if the latest version has earlier semantics; wfctl then \
            prints the differences.
            """)

    @Argument(
        help: ArgumentHelp("Definitions in YAML or JSON; - is standard input.", valueName: "file"), completion: .file())
    var files: [String]

    @Flag(help: "Let new instances keep the version that they take now.")
    var noActivate = false

    @OptionGroup var global: GlobalOptions

    var needsItsOutputRead: Bool { true }

    func run(in session: Session) async throws {
        let definitions = try DefinitionFile.all(files, in: session)
        for line in definitions.flatMap(\.diagnosticLines) { try session.say(DiagnosticText.styled(line)) }
        let wrong = definitions.count { $0.machine == nil }
        guard wrong == 0 else {
            let total =
                definitions.count == 1
                ? "the definition has mistakes" : "\(wrong) of \(definitions.count) have mistakes"
            throw CommandFailure(.badData, "Nothing was applied: \(total)")
        }
        try await session.withClient { client in
            var printer = ListPrinter(session, columns: Applied.columns, isLive: true)
            var failure: (any Error)?
            for definition in definitions {
                do {
                    let applied = try await client.apply(
                        definition.bytes, as: definition.mediaType, .init(activate: !noActivate))
                    try printer.add([Applied(file: definition.path, applied: applied)])
                    for line in Self.differences(of: applied.machine) { try session.say(line) }
                    for line in definition.lines(of: applied.machine.warnings ?? []) {
                        try session.say(DiagnosticText.styled(line))
                    }
                } catch let error as OutputClosed {
                    throw error
                } catch {
                    failure = Self.failure(error, of: definition)
                    break
                }
            }
            try printer.end()
            if let failure { throw failure }
        }
    }

    /// Returns the lines about a version whose semantics differ from those of the previous version.
    private static func differences(of machine: MachineSummary) -> [String] {
        guard let differences = machine.differences else { return [] }
        let (name, version, before) = (machine.machine, machine.version, machine.version - 1)
        let what =
            differences.isEmpty
            ? "for this definition they are the same" : "version \(version) differs:"
        return ["note: version \(before) of '\(name)' has earlier semantics; \(what)"]
            + differences.prefix(differencesShown).map { "  \($0)" }
            + (differences.count > differencesShown ? ["  and \(differences.count - differencesShown) more"] : [])
            + ["instances cross by 'wfctl migrate --machine \(name) --from \(before) --to \(version)'"]
    }

    private static let differencesShown = 20

    private static func failure(_ error: any Error, of definition: DefinitionFile) -> CommandFailure {
        let failure = CommandFailure(error)
        let message = failure.message.map { "Cannot apply '\(definition.path)': \($0)" }
        return CommandFailure(failure.exitStatus, message, notes: failure.notes)
    }
}

/// The result for one file.
private struct Applied: JSONWritable {
    let file: String
    let applied: AppliedMachine

    static let columns: [Table<Applied>.Column] = [
        .init(nil) { item in
            let machine = item.applied.machine
            var notes = item.applied.isNew ? [] : ["unchanged"]
            if machine.differences != nil { notes.append("semantics \(machine.semantics)") }
            if let active = machine.active, active != machine.version {
                notes.append("not active: new instances take \(active)")
            }
            let told = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
            return "\(machine.machine): version \(machine.version)\(told)"
        }
    ]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("machine", applied.machine.machine)
            writer.field("version", applied.machine.version)
            writer.field("semantics", applied.machine.semantics)
            writer.field("active", ifPresent: applied.machine.active)
            writer.field("digest", applied.machine.digest)
            writer.field("createdAt", applied.machine.createdAt)
            writer.field("warnings", applied.machine.warnings ?? [])
            writer.field("differences", ifPresent: applied.machine.differences)
            writer.field("unchanged", !applied.isNew)
            writer.field("file", file)
        }
    }
}
