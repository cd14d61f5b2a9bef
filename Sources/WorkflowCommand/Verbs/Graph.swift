import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient
import WorkflowInterchange

/// `wfctl graph`.
struct Graph: Verb {
    /// The language of the diagram.
    enum Language: String, CaseIterable, ExpressibleByArgument {
        case mermaid, dot
    }

    static let configuration = CommandConfiguration(
        commandName: "graph", abstract: "Print a diagram of a definition or of an instance.",
        discussion: """
            $ wfctl graph --instance order-1042 --as dot

            The diagram is for Mermaid (mermaid.js.org) or Graphviz (graphviz.org): wfctl graph order.yaml --as dot | \
            dot -Tsvg. The diagram of an instance marks the active states.
            """)

    @Argument(
        help: ArgumentHelp("A definition in YAML or JSON; - is standard input.", valueName: "file"), completion: .file()
    )
    var file: String?

    @Option(
        help: ArgumentHelp("Draw this instance instead of a file.", valueName: "name"),
        completion: Completion.instances.kind)
    var instance: String?

    @Option(name: .customLong("as"), help: ArgumentHelp("The diagram's language.", valueName: "language"))
    var language: Language = .mermaid

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if (file == nil) == (instance == nil) { throw ValidationError("Name a file, or an instance with '--instance'") }
    }

    func run(in session: Session) async throws {
        let (machine, active) = try await subject(in: session)
        let text =
            switch language {
            case .mermaid: MermaidDiagram.text(of: machine, active: active)
            case .dot: GraphvizDiagram.text(of: machine, active: active)
            }
        try session.write(document: text)
    }

    private func subject(in session: Session) async throws -> (Machine, active: Set<StateIndex>) {
        if let file {
            let definition = try DefinitionFile(path: file, in: session, isInMemory: true)
            for line in definition.diagnosticLines { try session.say(DiagnosticText.styled(line)) }
            guard let machine = definition.machine else {
                throw CommandFailure(.badData, "Cannot draw '\(file)': the definition has mistakes")
            }
            return (machine, [])
        }
        let name = instance ?? ""
        let (shown, version) = try await session.withClient { client in
            let shown = try await client.instance(name)
            return (shown, try await client.machine(shown.machine, version: shown.version))
        }
        let machine: Machine
        do {
            machine = try version.machine()
        } catch {
            throw CommandFailure(.other, "Cannot draw '\(name)': this wfctl does not understand its definition")
        }
        var active: Set<StateIndex> = []
        for path in shown.configuration {
            var next = machine.state(atPath: path)
            while let index = next, active.insert(index).inserted { next = machine[index].parent }
        }
        return (machine, active)
    }
}
