internal import Synchronization

/// A machine as Swift types, with its definition: the same text that a daemon gets.
///
/// Decisions are data: names of states and events, and CEL. Effects are Swift, and observe moves. No closure
/// decides, so every host runs every definition, and a history replays.
public protocol MachineDefinition: Sendable {
    /// The type of an instance's state.
    associatedtype State: StateValue
    /// The type of the events that an instance takes. Without it the machine takes none.
    associatedtype Event: EventValue = NoEvent
    /// The type of an instance's data: a struct whose properties are the keys of the context.
    associatedtype Context: Codable & Sendable = NoContext

    /// The machine's definition. It is read and checked once, also if a generic type has a computed property.
    static var definition: Definition<Self> { get }
}

/// The context of a machine without data.
public struct NoContext: Codable, Hashable, Sendable {
    public init() {}
}

extension MachineDefinition {
    /// The names of the states.
    public typealias StateName = State.Name
    /// The names of the events.
    public typealias EventName = Event.Name
    /// A route from state to state.
    public typealias Path = PathPiece<Self>
    /// The content of a state.
    public typealias In = StatePiece<Self>
    /// A transition by an event.
    public typealias On = EventPiece<Self>
    /// A transition by time.
    public typealias After = TimePiece<Self>
    /// A transition without event.
    public typealias Always = AlwaysPiece<Self>
    /// A transition when all states inside the state, or an invocation, are done.
    public typealias OnDone = DonePiece<Self>
    /// A task for a worker while the state is active.
    public typealias Invoke = InvocationPiece<Self>
    /// A transition when an invocation has failed for good.
    public typealias OnError = ErrorPiece<Self>
    /// Routes from a `switch` over state and event.
    public typealias Table = TablePiece<Self>

    /// The definition in the format of `wfctl apply`, `graph` and `simulate`. The text of a definition stays the same
    /// in all minor versions of this library.
    public static var text: String { known.text }
}

/// The definitions of types, each read once. A generic type cannot have a stored property.
private let definitions = Mutex<[ObjectIdentifier: any Sendable]>([:])

extension MachineDefinition {
    /// The definition as it was when it was first used.
    static var known: Definition<Self> {
        let type = ObjectIdentifier(Self.self)
        if let known = definitions.withLock({ $0[type] }) as? Definition<Self> { return known }
        // The lock is not held here, because `definition` is the program's.
        let made = definition
        return definitions.withLock { definitions in
            if let known = definitions[type] as? Definition<Self> { return known }
            definitions[type] = made
            return made
        }
    }
}
