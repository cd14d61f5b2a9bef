import ArgumentParser
import Drawing
import Statechart
import WorkflowAPI
import WorkflowClient
import WorkflowInterchange

/// `wfctl graph`.
struct Graph: Verb {
    /// The language of the diagram.
    enum Language: String, CaseIterable, ExpressibleByArgument {
        case mermaid, dot, svg
    }

    static let configuration = CommandConfiguration(
        commandName: "graph", abstract: "Print a diagram of a definition or of an instance.",
        discussion: """
            $ wfctl graph order.yaml --as svg

            A picture in SVG needs no other program: write it to a file with '>order.svg'. The other languages are \
            for Mermaid (mermaid.js.org) and Graphviz (graphviz.org). The diagram of an instance marks the active \
            states.
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

    @Option(
        name: .customLong("unfold"),
        help: ArgumentHelp(
            "Show the inside of this state in a picture; those of large machines are folded. Repeat it for more.",
            valueName: "path"))
    var unfolded: [String] = []

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
            case .svg: try picture(of: machine, active: active)
            }
        try session.write(document: text)
    }

    private func picture(of machine: Machine, active: Set<StateIndex>) throws -> String {
        for path in unfolded where machine.state(atPath: path) == nil {
            throw CommandFailure(.badData, "Cannot unfold '\(path)': machine '\(machine.name)' has no such state")
        }
        do {
            return try Scene(of: machine, .init(unfolded: Set(unfolded))).svg(active: active)
        } catch {
            throw CommandFailure(.badData, "Cannot draw '\(machine.name)': \(error.reason); use '--as dot'")
        }
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
