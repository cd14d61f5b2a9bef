import Foundation
import Statechart
import Testing
import WorkflowInterchange
import WorkflowJSON

/// The files of `Documents`, and helpers for tests of imports.
enum Documents {
    /// Returns the text of a file.
    static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Documents")
        return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// The note that every import from XState has.
    static let strictness =
        "XState ignores events that nothing takes, so 'strict: false' is written; it also lets failed actions and keys "
        + "that the context lacks pass, where XState stops the machine; 'strict: true' refuses all three"

    /// Returns a definition of ours in the form of an import: XState's machines are not strict.
    static func lenient(_ tree: DefinitionNode) -> DefinitionNode {
        guard var members = tree.members, tree["strict"] == nil else { return tree }
        let place = members.firstIndex { $0.key == "id" }.map { $0 + 1 } ?? 0
        members.insert(DefinitionNode.Member("strict", .bool(false)), at: place)
        return .map(members)
    }

    /// Returns a document with states and other content in `<scxml>`, on lines that begin with the second.
    static func scxml(_ inside: String, _ attributes: String = "") -> String {
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" name=\"m\" version=\"1.0\"\(attributes)>\n\(inside)\n</scxml>"
    }

    /// Returns the lines of an import: its definition as YAML, and its notes.
    static func lines(_ imported: ImportedDefinition) -> (definition: String, notes: String) {
        (imported.definition.text(as: .yaml), imported.notes.map { $0.description + "\n" }.joined())
    }
}

/// A run of an imported machine on its own clock.
struct Run {
    let machine: Machine
    private(set) var snapshot: Snapshot
    private var now = LogicalTime.zero
    static let identity = InstanceIdentity(name: "run", version: 1, startedAt: .zero)

    init(_ imported: ImportedDefinition) throws {
        machine = try DefinitionReader.read(imported.definition.text(as: .yaml)).machine
        snapshot = Snapshot(status: .running, configuration: [], context: machine.context, memory: [])
        try take(.start(), from: nil)
    }

    /// The paths of the active leaves.
    var leaves: [String] { machine.leafPaths(of: snapshot.configuration) }

    /// The context, as JSON.
    var context: String { JSONWriter.string(snapshot.context) }

    mutating func send(_ name: String, _ data: JSONValue? = nil) throws {
        try take(.event(Event(name: name, data: data, at: now)), from: snapshot)
    }

    /// Advances the clock, and fires the timers that are due by then.
    mutating func advance(_ milliseconds: Int64) throws {
        let until = LogicalTime(milliseconds: now.milliseconds + milliseconds)
        while let timer = snapshot.armed.next, timer.due <= until, snapshot.status == .running {
            now = max(now, timer.due)
            try take(.coming(timer, at: timer.due), from: snapshot)
        }
        now = until
    }

    private mutating func take(_ input: Input, from before: Snapshot?) throws {
        switch machine.chain(input, from: before, as: Self.identity) {
        case .success(let chain): snapshot = chain.snapshot
        case .failure(let refusal): Issue.record("'\(input.event.name)' is refused: \(refusal)")
        }
    }
}
