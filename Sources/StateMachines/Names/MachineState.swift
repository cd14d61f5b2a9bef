/// The names of a machine's states: `enum State: String, MachineState { case … }`.
///
/// A name's raw value is the path of its state: dots make the tree, and the order of the cases is the document order.
public protocol MachineState: StateValue, RawRepresentable<String>, CaseIterable, Hashable where Name == Self {}

/// How a program sees where an instance is: the names themselves, or a type whose values carry regions and data.
///
/// An enum that is `Decodable` needs nothing but its names: `case success(result: String)` takes `result` from the
/// context, `case filter(Filter)` has the child that is active, and `case review(legal: Legal, finance: Finance)` the
/// regions. A machine whose root is parallel has a struct with a property a region.
public protocol StateValue: Sendable {
    /// The names of the states.
    associatedtype Name: MachineState

    /// Makes the value of where an instance is.
    init(_ reading: StateReading<Name>) throws(MachineMismatch)
}

extension MachineState {
    /// The innermost active state; of a parallel state that of its last region.
    @inlinable
    public init(_ reading: StateReading<Self>) throws(MachineMismatch) {
        self = reading.leaf
    }
}

extension StateValue where Self: Decodable {
    /// What the compiler makes for `Decodable` reads it.
    public init(_ reading: StateReading<Name>) throws(MachineMismatch) {
        self = try MachineMismatch.told("the state '\(reading.leaf.rawValue)' does not fit \(Self.self)") {
            try reading.names.values.value(of: reading.names.machine, at: reading.position)
        }
    }
}
