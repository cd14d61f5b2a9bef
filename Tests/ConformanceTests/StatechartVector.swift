import Foundation
import WorkflowJSON
import Yams

/// A file of `conformance/statechart`: a definition, and the configurations that a script of events must lead to.
struct StatechartVector: Sendable {
    struct Line: Sendable {
        let event: String
        let data: JSONValue?
        /// The milliseconds that the clock advances before the event.
        let delay: Int64
        let configuration: Set<String>
    }

    let name: String
    /// The JSON text. Its keys are in the order of the file, which is document order.
    let definition: String
    /// The configuration at the start; `nil` for a machine that checks itself and must end in its state `pass`.
    let initialConfiguration: Set<String>?
    let script: [Line]

    init(file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let root = try Yams.compose(yaml: text), let definition = root["definition"] else {
            throw VectorError(description: "\(file.lastPathComponent) has no definition")
        }
        name = file.deletingPathExtension().lastPathComponent
        self.definition = Self.json(Self.renamed(definition))
        initialConfiguration = root["initialConfiguration"].map(Self.strings)
        script = (root["script"]?.sequence ?? []).map { line in
            Line(
                event: line["event"]?["name"]?.string ?? "",
                data: line["event"]?["data"].flatMap { try? JSONReader.value(from: Self.json($0)) },
                delay: Int64(line["after_ms"]?.int ?? 0),
                configuration: line["nextConfiguration"].map(Self.strings) ?? [])
        }
    }

    private static func strings(_ node: Node) -> Set<String> {
        Set(node.sequence?.compactMap(\.string) ?? [])
    }

    /// Gives a machine a valid name: some are named after files with a `+`, which our names do not allow. The name is
    /// not under test.
    private static func renamed(_ definition: Node) -> Node {
        var definition = definition
        if let id = definition["id"]?.string {
            definition["id"] = Node(id.replacing("+", with: "_"), .implicit, .doubleQuoted)
        }
        return definition
    }

    /// Returns the JSON text of a node. Unlike `JSONValue`, it keeps the order of keys.
    private static func json(_ node: Node) -> String {
        switch node {
        case .mapping(let mapping):
            let members = mapping.map { quoted($0.key.string ?? "") + ":" + json($0.value) }
            return "{" + members.joined(separator: ",") + "}"
        case .sequence(let sequence): return "[" + sequence.map(json).joined(separator: ",") + "]"
        case .scalar(let scalar): return scalar.style == .plain ? scalar.string : quoted(scalar.string)
        case .alias: return "null"
        }
    }

    private static func quoted(_ text: String) -> String {
        JSONWriter.string(text)
    }
}

struct VectorError: Error, CustomStringConvertible {
    let description: String
}
