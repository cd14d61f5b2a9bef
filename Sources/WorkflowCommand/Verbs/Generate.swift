import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowInterchange

/// `wfctl generate`.
struct Generate: Verb {
    /// The language of the generated code.
    enum Language: String, CaseIterable, ExpressibleByArgument {
        case swift

        /// Parses a language. If a user gives a file without a language, throws an error with the correct command.
        static func read(_ word: String) throws -> Language {
            guard let language = Language(rawValue: word) else {
                throw ValidationError("it is no language; write 'wfctl generate swift FILE'")
            }
            return language
        }
    }

    /// The form of the definition in the generated code.
    enum Embedding: String, CaseIterable, ExpressibleByArgument {
        case source, json
    }

    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Generate Swift types from a definition.",
        discussion: """
            $ wfctl generate swift order.yaml -o Order.swift

            wfctl writes an enum for the library StateMachines. It has the machine's states, events and context as \
            types, and the definition itself. docs/swift.md describes the types, and how 'meta: {swift: …}' sets their \
            names.

            The file has the definition byte for byte, so a program and 'wfctl apply' make the same version. '--format \
            json' converts it for programs without the library's trait YAML, which read no YAML. '--check' writes \
            nothing: the exit code is 1 if the file is stale or missing.
            """)

    @Argument(
        help: ArgumentHelp("The language: swift.", valueName: "language"), completion: .list(Language.allValueStrings),
        transform: Language.read)
    var language: Language

    @Argument(
        help: ArgumentHelp("A definition in YAML or JSON; - is standard input.", valueName: "file"), completion: .file()
    )
    var file: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write. (default: standard output)", valueName: "dest"),
        completion: .file(extensions: ["swift"]))
    var output: String?

    @Option(help: ArgumentHelp("The type's name. (default: the machine's name, such as Order)", valueName: "type"))
    var name: String?

    @Option(help: ArgumentHelp("The format of the definition in the file.", valueName: "format"))
    var format: Embedding = .source

    @Flag(name: .customLong("public"), help: "Make all declarations public.")
    var isPublic = false

    @Flag(help: "Write nothing; check that the file is up to date.")
    var check = false

    /// The global options, with defaults: the verb uses no daemon and no other formats, and `-o` names a file.
    var global: GlobalOptions {
        var options = GlobalOptions()
        (options.address, options.context, options.ca, options.format, options.wide) = (nil, nil, nil, .table, false)
        return options
    }

    func validate() throws {
        if let output, !output.hasSuffix(".swift") {
            throw ValidationError("'-o' names the file to write, which ends with .swift: '\(output)' does not")
        }
        if let name, !SwiftName.isIdentifier(name, ofType: true) || SwiftName.isTaken(type: name) {
            throw ValidationError("'\(name)' cannot be the name of the type")
        }
        if check, output == nil { throw ValidationError("'--check' needs '-o'") }
    }

    func run(in session: Session) async throws {
        let text = try source(in: session).text
        guard let output else { return try session.write(document: text) }
        let files = session.environment.files
        let exists = files.exists(output)
        // A file that is longer than the generated text cannot be equal.
        let isSame = try exists && files.read(output, limit: .max).elementsEqual(text.utf8)
        if check {
            guard !isSame else { return }
            throw CommandFailure(
                .other, "'\(output)' is \(exists ? "not what '\(file)' makes" : "missing")",
                notes: ["'\(command(file: file, output: output))' writes it"])
        }
        // An unchanged file is not compiled again.
        guard !isSame else { return try session.print("\(output): unchanged\n") }
        let written = try files.create(output, isPrivate: false)
        defer { written.discard() }
        try written.write(Array(text.utf8))
        try written.commit(replacing: true)
        try session.print("\(output): written\n")
    }

    private func source(in session: Session) throws -> SwiftSource {
        let definition = try DefinitionFile(path: file, in: session, isInMemory: true)
        for line in definition.diagnosticLines { try session.say(DiagnosticText.styled(line)) }
        guard let machine = definition.machine else {
            throw CommandFailure(.badData, "Cannot generate from '\(file)': the definition has mistakes")
        }
        let text = String(decoding: definition.bytes, as: UTF8.self)
        do throws(DefinitionError) {
            let naming = SwiftNaming(machine, try DefinitionText.tree(of: text), named: name)
            guard naming.mistakes.isEmpty else { throw DefinitionError(diagnostics: naming.mistakes) }
            let embedded = format == .json ? try DefinitionText.rewritten(text, as: .json) : text
            let base = file.split(separator: "/").last.map(String.init) ?? file
            return SwiftSource(
                naming: naming, isPublic: isPublic, command: command(file: base), definition: embedded)
        } catch {
            for diagnostic in error.diagnostics { try session.say(DiagnosticText.styled("\(file):\(diagnostic)")) }
            throw CommandFailure(.badData, "Cannot generate from '\(file)': see above")
        }
    }

    /// Returns the command line that makes the file.
    private func command(file: String, output: String? = nil) -> String {
        var words = ["wfctl", "generate", language.rawValue, Self.quoted(file)]
        if let output { words += ["-o", Self.quoted(output)] }
        if let name { words += ["--name", name] }
        if format == .json { words += ["--format", "json"] }
        if isPublic { words.append("--public") }
        return words.joined(separator: " ")
    }

    /// Quotes a file's name for a shell, and for a line of a comment.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-/+@".contains($0)) }
        let line = String(String.UnicodeScalarView(path.unicodeScalars.map { SwiftLiteral.isShown($0) ? $0 : "?" }))
        return isPlain ? path : "\"\(line)\""
    }
}
