internal import Statechart
internal import WorkflowJSON

/// A definition: made in Swift, or a text that `wfctl generate swift` was given.
public struct Definition<M: MachineDefinition>: Sendable {
    private let reading: DefinitionReading<M>

    /// The definition as `wfctl apply` takes it.
    public var text: String { reading.source.text }

    /// In Swift. The tree of states comes from the names of `M.StateName`, their order from its cases.
    ///
    /// The machine has this `name` and begins in `initial`. A new instance keeps `context`: each of its keys is there,
    /// nil is `null`. When `strict` is true, an event that nothing takes is refused.
    public init(
        _ name: String, initial: M.StateName, context: M.Context, strict: Bool = true,
        fileID: StaticString = #fileID, line: Int = #line, @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]
    ) {
        self.init(name, initial.rawValue, context, strict, SwiftPlace(fileID, line), pieces())
    }

    /// The same for a machine without data.
    public init(
        _ name: String, initial: M.StateName, strict: Bool = true, fileID: StaticString = #fileID,
        line: Int = #line, @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]
    ) where M.Context == NoContext {
        self.init(name, initial.rawValue, NoContext(), strict, SwiftPlace(fileID, line), pieces())
    }

    /// A machine whose outermost states are all active together.
    public init(
        parallel name: String, context: M.Context, strict: Bool = true, fileID: StaticString = #fileID,
        line: Int = #line, @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]
    ) {
        self.init(name, nil, context, strict, SwiftPlace(fileID, line), pieces())
    }

    /// The same for a machine without data.
    public init(
        parallel name: String, strict: Bool = true, fileID: StaticString = #fileID, line: Int = #line,
        @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]
    ) where M.Context == NoContext {
        self.init(name, nil, NoContext(), strict, SwiftPlace(fileID, line), pieces())
    }

    @available(*, unavailable, message: "it lacks 'context': what a new instance keeps")
    @_disfavoredOverload
    public init(
        _ name: String, initial: M.StateName, strict: Bool = true, @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]
    ) {
        preconditionFailure("unavailable")
    }

    @available(*, unavailable, message: "it lacks 'context': what a new instance keeps")
    @_disfavoredOverload
    public init(parallel name: String, strict: Bool = true, @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]) {
        preconditionFailure("unavailable")
    }

    private init(
        _ name: String, _ initial: String?, _ context: M.Context, _ strict: Bool, _ place: SwiftPlace,
        _ pieces: [Piece<M>]
    ) {
        var tree = DefinitionTree(name, initial: initial, isStrict: strict, at: place)
        tree.setContext(context, named: "\(M.self).Context")
        tree.add(pieces.map(\.content), states: M.StateName.allCases.map(\.rawValue))
        reading = DefinitionReading(tree.source)
    }

    /// A definition as `wfctl apply` takes it: JSON, or YAML with the trait `YAML`.
    public init(text: String, fileID: StaticString = #fileID, line: Int = #line) {
        reading = DefinitionReading(DefinitionSource(text: text, at: SwiftPlace(fileID, line)))
    }

    /// Reads and checks the definition, and throws all its mistakes: for a test. `StateMachine` and hosts do it too.
    /// A `StateMachine` also refuses one with `Invoke`, which only hosts can run.
    ///
    /// - Returns: What is probably not meant, such as a state that nothing leads to.
    @discardableResult public func check() throws(DefinitionMistakes) -> [String] {
        _ = try reading.machine()
        return reading.source.warnings()
    }

    /// The machine, read once.
    func machine() throws(DefinitionMistakes) -> TypedMachine<M> { try reading.machine() }

    /// The same for a program that has no host: nobody would do what the machine invokes.
    func machineWithoutHost() throws(DefinitionMistakes) -> TypedMachine<M> {
        let typed = try reading.machine()
        guard !typed.machine.hasInvocations else { throw reading.source.needsHost(typed.machine) }
        return typed
    }
}

/// All mistakes of a definition, each with its line of Swift, or of the text.
public struct DefinitionMistakes: Error, Hashable, CustomStringConvertible {
    /// `Screens.swift:12: …`
    public let mistakes: [String]

    public var description: String { mistakes.joined(separator: "\n") }
}

/// A line of Swift.
struct SwiftPlace: Sendable, Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    var description: String { "\(file):\(line)" }

    init(_ fileID: StaticString, _ line: Int) {
        file = "\(fileID)"
        self.line = line
    }
}
