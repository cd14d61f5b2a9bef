internal import Statechart
internal import WorkflowJSON

/// A definition, written in Swift or given as the text that `wfctl generate swift` read.
public struct Definition<M: MachineDefinition>: Sendable {
    private let reading: DefinitionReading<M>

    /// The definition in the format that `wfctl apply` accepts.
    public var text: String { reading.source.text }

    /// Identifies the definition, for stored machines.
    var digest: String { reading.source.digest }

    /// The places of the text's lines in Swift; `nil` for a text that was given.
    var places: SwiftPlaces? { reading.source.placesOfText }

    /// Creates a definition in Swift. The tree of states comes from the names of `M.StateName`, their order from its
    /// cases.
    ///
    /// The machine has this `name` and begins in `initial`. A new instance starts with `context`, in which every key is
    /// present and `nil` is `null`. When `strict` is true, an event that no transition takes is refused.
    public init(
        _ name: String, initial: M.StateName, context: M.Context, strict: Bool = true,
        fileID: StaticString = #fileID, line: Int = #line, @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]
    ) {
        self.init(name, initial.rawValue, context, strict, SwiftPlace(fileID, line), pieces())
    }

    /// Creates a definition of a machine without data.
    public init(
        _ name: String, initial: M.StateName, strict: Bool = true, fileID: StaticString = #fileID,
        line: Int = #line, @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]
    ) where M.Context == NoContext {
        self.init(name, initial.rawValue, NoContext(), strict, SwiftPlace(fileID, line), pieces())
    }

    /// Creates a definition whose outermost states are all active together.
    public init(
        parallel name: String, context: M.Context, strict: Bool = true, fileID: StaticString = #fileID,
        line: Int = #line, @DefinitionBuilder<M> _ pieces: () -> [Piece<M>]
    ) {
        self.init(name, nil, context, strict, SwiftPlace(fileID, line), pieces())
    }

    /// Creates a definition without data whose outermost states are all active together.
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
        tree.setEvents(M.Event.self)
        tree.add(pieces.map(\.content), states: M.StateName.allCases.map(\.rawValue))
        reading = DefinitionReading(tree.source)
    }

    /// Creates a definition from the text that `wfctl apply` accepts: JSON, or YAML with the trait `YAML`.
    public init(text: String, fileID: StaticString = #fileID, line: Int = #line) {
        reading = DefinitionReading(DefinitionSource(text: text, at: SwiftPlace(fileID, line)))
    }

    /// Reads and checks the definition, and throws all its mistakes; useful in a test. Expressions are checked against
    /// the types of the context and of a `Codable` event. `StateMachine` and hosts also check. A `StateMachine` also
    /// refuses a definition with `Invoke`, which only hosts can run. Hosts refuse `.emit`, which only a `StateMachine`
    /// can run.
    ///
    /// - Returns: Warnings about probable mistakes, such as a state that no transition leads to.
    @discardableResult public func check() throws(DefinitionMistakes) -> [String] {
        _ = try reading.machine()
        return reading.source.warnings()
    }

    /// Returns the machine for a host. Throws if the machine emits events, because no history keeps them.
    func machineForHost() throws(DefinitionMistakes) -> TypedMachine<M> {
        let typed = try reading.machine()
        if typed.machine.emits { _ = try reading.source.machine(isInMemory: false) }
        return typed
    }

    /// Returns the machine for a program without a host. Throws if the machine has invocations, because nobody would do
    /// them.
    func machineWithoutHost() throws(DefinitionMistakes) -> TypedMachine<M> {
        let typed = try reading.machine()
        guard !typed.machine.hasInvocations else { throw reading.source.needsHost(typed.machine) }
        return typed
    }
}

/// All mistakes of a definition, each with its line in Swift or in the text.
public struct DefinitionMistakes: Error, Hashable, CustomStringConvertible {
    /// The mistakes in the form `Screens.swift:12: …`.
    public let mistakes: [String]

    public var description: String { mistakes.joined(separator: "\n") }
}

/// A line of Swift source.
struct SwiftPlace: Sendable, Hashable, CustomStringConvertible {
    let file: String
    let line: Int
    var description: String { "\(file):\(line)" }

    init(_ fileID: StaticString, _ line: Int) {
        file = "\(fileID)"
        self.line = line
    }
}
