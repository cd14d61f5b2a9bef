internal import Statechart
internal import WorkflowJSON

/// Reads a state value from the active states. The keys of a state's value are the names of its active children and the
/// members of the context. A child takes precedence over a member of the context with the same name.
///
/// `StateDecoder` is a class, because coders pass it on as `any Decoder` many times.
final class StateDecoder: Decoder {
    /// The state that all decoders of one value share.
    final class Reading {
        let machine: Machine
        let configuration: [StateIndex]
        private let data: JSONObject
        private(set) var hasUsedContext = false

        init(_ machine: Machine, _ position: UntypedMove) {
            self.machine = machine
            configuration = position.after.configuration
            data = position.after.context
        }

        /// The instance's data.
        var context: JSONObject {
            hasUsedContext = true
            return data
        }
    }

    fileprivate let reading: Reading
    /// The state whose value is read; the root for the whole value.
    private let state: StateIndex
    /// The active children, in document order.
    fileprivate let children: [StateIndex]
    /// The decoder of the state above, and the key there; `nil` for the whole value. Only errors need the path.
    private let above: (decoder: StateDecoder, key: any CodingKey)?
    var codingPath: [any CodingKey] { above.map { $0.decoder.codingPath + [$0.key] } ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(
        _ reading: Reading, state: StateIndex = .root, below above: (decoder: StateDecoder, key: any CodingKey)? = nil
    ) {
        self.reading = reading
        self.state = state
        self.above = above
        children = reading.machine[state].children.filter { reading.configuration.contains($0) }
    }

    fileprivate func key(of child: StateIndex) -> String {
        let path = reading.machine[child].path
        return state == .root ? path : String(path.dropFirst(reading.machine[state].path.count + 1))
    }

    fileprivate func decoder(of child: StateIndex, forKey key: some CodingKey) -> StateDecoder {
        StateDecoder(reading, state: child, below: (self, key))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedStateDecoder<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw MachineMismatch("a state is no list")
    }

    /// Returns the key of the only active child: for an enum with raw values, and for a type with its own coding.
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        guard children.count == 1 else { throw MachineMismatch("\(children.count) states are active, not one") }
        return ValueDecoder(value: .string(key(of: children[0])), codingPath: codingPath)
    }
}

private struct KeyedStateDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: StateDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    /// The keys from which an enum's case is chosen: only those of active children.
    var allKeys: [Key] {
        var keys: [Key] = []
        for child in decoder.children {
            if let key = Key(stringValue: decoder.key(of: child)) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { (try? content(key)) != nil }

    func decodeNil(forKey key: Key) throws -> Bool {
        if case .value(.null) = try content(key) { true } else { false }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        switch try content(key) {
        case .state(let decoder): try Value(from: decoder)
        case .value(let value): try ValueDecoder.value(type, from: value, at: codingPath + [key])
        }
    }

    // Most values of states are texts, which need no decoder.
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        switch try content(key) {
        case .value(.string(let string)): string
        case .value(let value): try ValueDecoder.value(type, from: value, at: codingPath + [key])
        case .state(let decoder): try String(from: decoder)
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        switch try content(key) {
        case .state(let decoder): try decoder.container(keyedBy: type)
        case .value(let value):
            try ValueDecoder(value: value, codingPath: codingPath + [key]).container(keyedBy: type)
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try superDecoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        switch try content(key) {
        case .state(let decoder): decoder
        case .value(let value): ValueDecoder(value: value, codingPath: codingPath + [key])
        }
    }

    private enum Content {
        case state(StateDecoder)
        case value(JSONValue)
    }

    /// Returns the content of a key: a child, the only value of a case without labels, or a member of the context.
    private func content(_ key: Key) throws -> Content {
        let children = decoder.children
        if let child = children.first(where: { decoder.key(of: $0) == key.stringValue }) {
            return .state(decoder.decoder(of: child, forKey: key))
        }
        // An active state takes precedence over a member of the context that is named `_0`.
        let isOnly = key.stringValue == "_0"
        if isOnly, !children.isEmpty { return .state(decoder) }
        if let value = decoder.reading.context[key.stringValue] { return .value(value) }
        guard isOnly else { throw MachineMismatch.missing(key, at: codingPath) }
        return .value(.object(decoder.reading.context))
    }
}
