public import WorkflowJSON

/// The names of a machine's events: `enum Event: String, MachineEvent { case … }`.
/// It prints as its raw value.
public protocol MachineEvent: EventValue, RawRepresentable<String>, CaseIterable, Hashable, CustomStringConvertible
where Name == Self {}

extension MachineEvent {
    public var description: String { rawValue }
}

// A `CodingKey` has a description of its own, which shows the type and an index.
extension MachineEvent where Self: CodingKey {
    public var description: String { rawValue }
    public var debugDescription: String { rawValue }
}

/// The events of a machine that takes none: only time moves such a machine.
public enum NoEvent: MachineEvent {
    public var rawValue: String {
        switch self {}
    }

    public init?(rawValue: String) { nil }
}

/// The type of the events that a program sends: the names themselves, or an enum whose cases carry data.
///
/// A `Codable` enum needs only its names: `case submit(amount: Int)` is the event `submit` with the data
/// `{"amount": …}`, and `case succeed(String)` is `succeed` with the text as its data.
///
/// The definition declares the types of the data, so that `check()` knows them in expressions. To find the types, the
/// library decodes each case once from placeholders. An enum that is only `Encodable` declares no types.
public protocol EventValue: Sendable {
    /// The names of the events.
    associatedtype Name: MachineEvent

    /// Returns the name and data of the event.
    func encoded() throws(MachineMismatch) -> EncodedEvent<Name>
}

/// An event in the form that a machine takes.
public struct EncodedEvent<Name: MachineEvent>: Sendable {
    public let name: Name
    /// The data of the event; `nil` if it has none.
    public let data: JSONValue?

    @inlinable
    public init(name: Name, data: JSONValue? = nil) {
        self.name = name
        self.data = data
    }
}

extension MachineEvent {
    @inlinable
    public func encoded() throws(MachineMismatch) -> EncodedEvent<Self> {
        EncodedEvent(name: self)
    }
}

extension EventValue where Self: Encodable {
    /// Returns the name and data that the compiler's `Encodable` conformance writes.
    public func encoded() throws(MachineMismatch) -> EncodedEvent<Name> {
        guard let written = try written() else {
            throw MachineMismatch("\(Self.self).\(caseName) has no name in \(Self.self).Name")
        }
        guard let member = written.onlyMember else {
            throw MachineMismatch("\(Self.self) must be an enum, a case an event")
        }
        guard let name = Name(rawValue: member.key) else {
            throw MachineMismatch("\(Self.self).\(member.key) has no name in \(Self.self).Name")
        }
        guard case .object(let data) = member.value, !data.isEmpty else { return EncodedEvent(name: name) }
        // A value without a label is itself the data.
        if data.count == 1, let value = data["_0"] { return EncodedEvent(name: name, data: value) }
        guard !data.keys.contains(where: { $0.hasPrefix("_") && $0.dropFirst().allSatisfy(\.isNumber) }) else {
            throw MachineMismatch("\(Self.self).\(member.key) has several values: give each a label")
        }
        return EncodedEvent(name: name, data: .object(data))
    }
}

extension EventValue where Self: Encodable {
    /// Returns the place with the JSON of the event; `nil` if the case is missing from its `CodingKeys`, the names. The
    /// compiler allows that.
    private func written() throws(MachineMismatch) -> ValueSlot? {
        try MachineMismatch.told("an event cannot be written") {
            do {
                return try ValueEncoder.slot(of: self)
            } catch EncodingError.invalidValue(let value, _) where value is Self {
                return nil
            }
        }
    }

    private var caseName: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
