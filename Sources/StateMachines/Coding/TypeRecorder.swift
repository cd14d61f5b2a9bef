internal import WorkflowJSON

/// A value of a Swift type, with the type of its JSON.
struct TypeSample<Value> {
    let value: Value
    let type: ValueType
}

/// Finds the types of JSON that Swift types write, by decoding placeholders. Each type is decoded once.
///
/// A type is declared only if its decoding is that of the compiler, because other codings may write several forms. A
/// type stays open if it rejects the placeholders, or if it contains itself.
final class TypeRecorder {
    /// The largest number of types inside one another.
    private static let deepest = 16

    /// The samples by type, or the errors of types that reject placeholders.
    private var known: [ObjectIdentifier: Result<Any, any Error>] = [:]
    private var entered: Set<ObjectIdentifier> = []
    /// The events whose types a change of the program would show, each with its remedy.
    private(set) var remedies: [(event: String, text: String)] = []

    /// Returns the types of the data of events. An event without data is left out, and also one of an open type.
    func data<Event: EventValue & Decodable>(of type: Event.Type) -> [(key: String, type: ValueType)] {
        Event.Name.allCases.compactMap { name in
            let root = TypeSlot()
            // An error leaves the type open.
            guard let event = value(of: type, name.rawValue, recordingIn: root), let encoded = try? event.encoded(),
                encoded.name == name, let payload = Mirror(reflecting: event).children.first?.value
            else { return nil }
            let slot = root[name.rawValue]
            let values = Mirror(reflecting: payload)
            guard slot.isCoding(of: values.displayStyle == .tuple ? values.children.map(\.value) : [payload]) else {
                return nil
            }
            let isUnlabelled = slot.members.count == 1 && slot.members[0].key == "_0"
            let type = isUnlabelled ? slot.members[0].slot.type : slot.type
            return type.isOpen || !type.accepts(encoded.data ?? .null) ? nil : (name.rawValue, type)
        }
    }

    private func value<Event: Decodable>(of type: Event.Type, _ name: String, recordingIn slot: TypeSlot) -> Event? {
        do {
            return try Event(from: TypeDecoder(recorder: self, slot: slot, given: .enumCase(name)))
        } catch let missing as MissingPlaceholder {
            remedies.append((name, "\(missing.type) has no placeholder; make it CaseIterable"))
        } catch {}  // Other types have no remedy: the data stays open.
        return nil
    }

    /// Returns the types of a context's keys that are not open.
    func keys<Context: Decodable>(
        of type: Context.Type, in context: JSONObject
    ) -> [(key: String, type: ValueType)] {
        guard case .fields(let fields) = (try? sample(of: type, from: .json(.object(context))))?.type else { return [] }
        return fields.filter { !$0.type.isOpen && $0.type.accepts(context[$0.key] ?? .null) }
    }

    /// Decodes a value. Throws if its type rejects it.
    func sample<Value: Decodable>(of type: Value.Type, from given: GivenValue) throws -> TypeSample<Value> {
        if let type = type as? any Sampled.Type, let sample = try sample(type, given) as? TypeSample<Value> {
            return sample
        }
        let id = ObjectIdentifier(type)
        if case .json(let json) = given {
            guard !entered.contains(id) else {
                return TypeSample(value: try ValueDecoder.value(type, from: json), type: .open)
            }
            return try decoded(type, given)
        }
        if let known = try known[id]?.get() as? TypeSample<Value> { return known }
        do {
            let sample = try decoded(type, Self.firstCase(of: type).map(GivenValue.json) ?? given)
            known[id] = .success(sample)
            return sample
        } catch {
            let isRaw = type is any RawRepresentable.Type && !(error is MissingPlaceholder)
            let error = isRaw ? MissingPlaceholder(type: type) : error
            known[id] = .failure(error)
            throw error
        }
    }

    private func sample<Value: Sampled>(_ type: Value.Type, _ given: GivenValue) throws -> Any {
        try Value.sample(from: given, by: self)
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, _ given: GivenValue) throws -> TypeSample<Value> {
        let id = ObjectIdentifier(type)
        guard entered.count < Self.deepest, entered.insert(id).inserted else {
            throw MachineMismatch("\(type) contains itself, or too many types")
        }
        defer { entered.remove(id) }
        let slot = TypeSlot()
        let value = try Value(from: TypeDecoder(recorder: self, slot: slot, given: given))
        return TypeSample(value: value, type: Self.isTrusted(value, slot) ? slot.type : .open)
    }

    /// Returns true if the type writes all its values in the form that was read: the compiler or Foundation codes it.
    private static func isTrusted<Value>(_ value: Value, _ slot: TypeSlot) -> Bool {
        let name = String(reflecting: Value.self)
        if ["Foundation.", "FoundationEssentials."].contains(where: name.hasPrefix) { return true }
        if slot.known != nil { return value is any RawRepresentable }
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .struct && slot.isCoding(of: mirror.children.map(\.value))
    }

    /// Returns the JSON of an enum's first case: an enum with raw values rejects any other value.
    private static func firstCase<Value>(of type: Value.Type) -> JSONValue? {
        guard let type = type as? any (CaseIterable & Encodable).Type else { return nil }
        func first<Cases: CaseIterable & Encodable>(_ type: Cases.Type) -> JSONValue? {
            type.allCases.first.flatMap { try? ValueEncoder.value(of: $0) }
        }
        return first(type)
    }
}

/// An enum with raw values, of which no case is known.
private struct MissingPlaceholder: Error {
    let type: Any.Type
}
