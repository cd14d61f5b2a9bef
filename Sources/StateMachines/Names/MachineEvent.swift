public import WorkflowJSON

/// The names of a machine's events: `enum Event: String, MachineEvent { case … }`.
public protocol MachineEvent: EventValue, RawRepresentable<String>, CaseIterable, Hashable where Name == Self {}

/// The events of a machine that takes none: only time moves it.
public enum NoEvent: MachineEvent {
    public var rawValue: String {
        switch self {}
    }

    public init?(rawValue: String) { nil }
}

/// What a program sends: the names themselves, or an enum whose cases carry data.
///
/// An enum that is `Encodable` needs nothing but its names: `case submit(amount: Int)` is the event `submit` with the
/// data `{"amount": …}`, and `case succeed(String)` is `succeed` with the text as its data.
public protocol EventValue: Sendable {
    /// The names of the events.
    associatedtype Name: MachineEvent

    /// Makes name and data of the event.
    func encoded() throws(MachineMismatch) -> EncodedEvent<Name>
}

/// An event as a machine takes it.
public struct EncodedEvent<Name: MachineEvent>: Sendable {
    public let name: Name
    /// Nil when it has none.
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
    /// What the compiler makes for `Encodable` writes it.
    public func encoded() throws(MachineMismatch) -> EncodedEvent<Name> {
        guard let value = try written() else {
            throw MachineMismatch("\(Self.self).\(caseName) has no name in \(Self.self).Name")
        }
        guard case .object(let members) = value, members.count == 1, let member = members.members.first else {
            throw MachineMismatch("\(Self.self) must be an enum, a case an event")
        }
        guard let name = Name(rawValue: member.key) else {
            throw MachineMismatch("\(Self.self).\(member.key) has no name in \(Self.self).Name")
        }
        guard case .object(let data) = member.value, !data.isEmpty else { return EncodedEvent(name: name) }
        // Without a label the value is the data.
        if data.count == 1, let value = data["_0"] { return EncodedEvent(name: name, data: value) }
        guard !data.keys.contains(where: { $0.hasPrefix("_") && $0.dropFirst().allSatisfy(\.isNumber) }) else {
            throw MachineMismatch("\(Self.self).\(member.key) has several values: give each a label")
        }
        return EncodedEvent(name: name, data: .object(data))
    }
}

extension EventValue where Self: Encodable {
    /// The JSON of the event; nil when its `CodingKeys`, which its names are, lack the case: the compiler allows it.
    private func written() throws(MachineMismatch) -> JSONValue? {
        try MachineMismatch.told("an event cannot be written") {
            do {
                return try ValueEncoder.value(of: self)
            } catch EncodingError.invalidValue(let value, _) where value is Self {
                return nil
            }
        }
    }

    private var caseName: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
