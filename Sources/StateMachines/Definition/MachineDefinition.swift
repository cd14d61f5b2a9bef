/// A machine as Swift types, and its definition: the same text that a daemon gets.
///
/// What decides is data: names of states and events, and CEL. What acts is Swift, after the move. No closure decides:
/// every host runs every definition, and a history replays.
public protocol MachineDefinition: Sendable {
    /// Where an instance is.
    associatedtype State: StateValue
    /// What it takes.
    associatedtype Event: EventValue
    /// What it keeps: a struct whose properties are the keys of the context.
    associatedtype Context: Codable & Sendable = NoContext

    /// The machine. A stored property: it is read and checked once.
    static var definition: Definition<Self> { get }
}

/// Of a machine without data.
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
    /// What stands in a state.
    public typealias In = StatePiece<Self>
    /// A transition by an event.
    public typealias On = EventPiece<Self>
    /// A transition by time.
    public typealias After = TimePiece<Self>
    /// A transition without event.
    public typealias Always = AlwaysPiece<Self>
    /// A transition when all in the state, or an invocation, is done.
    public typealias OnDone = DonePiece<Self>
    /// A task for a worker while the state is active.
    public typealias Invoke = InvocationPiece<Self>
    /// A transition when an invocation has failed for good.
    public typealias OnError = ErrorPiece<Self>
    /// Routes from a `switch` over state and event.
    public typealias Table = TablePiece<Self>

    /// The definition as `wfctl apply`, `graph` and `simulate` take it; the same text for the same definition in all
    /// minor versions of this library.
    public static var text: String { definition.text }
}
