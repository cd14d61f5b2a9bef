/// The names of a machine's states: `enum State: String, MachineState { case … }`.
///
/// A name's raw value is the path of its state: dots make the tree, and the order of the cases is the document order.
/// It prints as its raw value.
public protocol MachineState: StateValue, RawRepresentable<String>, CaseIterable, Hashable, CustomStringConvertible
where Name == Self {}

/// The type of an instance's state as a program sees it: the names themselves, or a type whose values carry regions and
/// data.
///
/// A `Decodable` enum needs only its names: `case success(result: String)` takes `result` from the context.
/// `case filter(Filter)` has the active child, and `case review(legal: Legal, finance: Finance)` has the regions. A
/// machine whose root is parallel has a struct with one property per region.
///
/// The compiler compares the cases with `CodingKeys`. `typealias CodingKeys = Name` therefore fits a machine in which
/// each name is a case. If `Name` also has children or a history state, leave the `typealias` out. If raw values differ
/// from the cases, write `enum CodingKeys: String, CodingKey` with the outermost states.
public protocol StateValue: Sendable {
    /// The names of the states.
    associatedtype Name: MachineState

    /// Creates the value from the position of an instance.
    init(_ reading: StateReading<Name>) throws(MachineMismatch)
}

extension MachineState {
    public var description: String { rawValue }

    /// Creates the name of the innermost active state; in a parallel state that of its last region.
    @inlinable
    public init(_ reading: StateReading<Self>) throws(MachineMismatch) {
        self = reading.leaf
    }
}

extension StateValue where Self: Decodable {
    /// Creates the value by the compiler's `Decodable` conformance.
    public init(_ reading: StateReading<Name>) throws(MachineMismatch) {
        self = try MachineMismatch.told("the state '\(reading.leaf.rawValue)' does not fit \(Self.self)") {
            try reading.names.values.value(of: reading.names.machine, at: reading.position)
        }
    }
}

// A `CodingKey` has a description of its own, which shows the type and an index.
extension MachineState where Self: CodingKey {
    public var description: String { rawValue }
    public var debugDescription: String { rawValue }
}
