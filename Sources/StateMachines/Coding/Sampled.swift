internal import WorkflowJSON

/// A type whose JSON is known without its coding.
protocol Sampled: Decodable {
    /// Returns the given value, or a placeholder.
    static func sample(from given: GivenValue, by recorder: TypeRecorder) throws -> TypeSample<Self>
}

/// A type of one word in definitions.
private protocol ScalarValue: Sampled {
    static var scalar: ValueType.Scalar { get }
    /// A value that most types accept.
    static var placeholder: Self { get }
}

extension ScalarValue {
    static func sample(from given: GivenValue, by recorder: TypeRecorder) throws -> TypeSample<Self> {
        guard case .json(let json) = given else { return TypeSample(value: placeholder, type: .scalar(scalar)) }
        return TypeSample(value: try ValueDecoder.value(Self.self, from: json), type: .scalar(scalar))
    }
}

extension ScalarValue where Self: BinaryInteger {
    static var scalar: ValueType.Scalar { isSigned ? .int : .uint }
    static var placeholder: Self { 1 }
}

extension ScalarValue where Self: BinaryFloatingPoint {
    static var scalar: ValueType.Scalar { .double }
    static var placeholder: Self { 1 }
}

extension Bool: ScalarValue {
    static var scalar: ValueType.Scalar { .bool }
    static var placeholder: Bool { true }
}

extension String: ScalarValue {
    static var scalar: ValueType.Scalar { .string }
    /// A UUID is also the text of a URL.
    static var placeholder: String { "00000000-0000-4000-8000-000000000000" }
}

extension Int: ScalarValue {}
extension Int8: ScalarValue {}
extension Int16: ScalarValue {}
extension Int32: ScalarValue {}
extension Int64: ScalarValue {}
extension UInt: ScalarValue {}
extension UInt8: ScalarValue {}
extension UInt16: ScalarValue {}
extension UInt32: ScalarValue {}
extension UInt64: ScalarValue {}
extension Double: ScalarValue {}
extension Float: ScalarValue {}

extension JSONValue: Sampled {
    static func sample(from given: GivenValue, by recorder: TypeRecorder) throws -> TypeSample<JSONValue> {
        guard case .json(let json) = given else { return TypeSample(value: .null, type: .open) }
        return TypeSample(value: json, type: .open)
    }
}

extension JSONObject: Sampled {
    static func sample(from given: GivenValue, by recorder: TypeRecorder) throws -> TypeSample<JSONObject> {
        guard case .json(let json) = given else { return TypeSample(value: JSONObject(), type: .map(.open)) }
        guard let object = json.object else { throw MachineMismatch("a \(json.kind) is no map") }
        return TypeSample(value: object, type: .map(.open))
    }
}

// A placeholder that the content rejects is nil or empty, so that the type around it is found.

extension Optional: Sampled where Wrapped: Decodable {
    static func sample(from given: GivenValue, by recorder: TypeRecorder) throws -> TypeSample<Wrapped?> {
        if case .json = given, !given.isNull {
            let sample = try recorder.sample(of: Wrapped.self, from: given)
            return TypeSample(value: sample.value, type: sample.type.orNull)
        }
        let sample = try? recorder.sample(of: Wrapped.self, from: .placeholder)
        return TypeSample(value: given.isNull ? nil : sample?.value, type: (sample?.type ?? .open).orNull)
    }
}

extension Array: Sampled where Element: Decodable {
    static func sample(from given: GivenValue, by recorder: TypeRecorder) throws -> TypeSample<[Element]> {
        let sample = try recorder.elements(Element.self, of: given) { json in
            if case .array(let elements) = json { elements } else { nil }
        }
        return TypeSample(value: sample.value, type: .list(sample.type))
    }
}

extension Set: Sampled where Element: Decodable {
    static func sample(from given: GivenValue, by recorder: TypeRecorder) throws -> TypeSample<Set<Element>> {
        let sample = try [Element].sample(from: given, by: recorder)
        return TypeSample(value: Set(sample.value), type: sample.type)
    }
}

extension Dictionary: Sampled where Key == String, Value: Decodable {
    static func sample(from given: GivenValue, by recorder: TypeRecorder) throws -> TypeSample<[String: Value]> {
        let sample = try recorder.elements(Value.self, of: given) { $0.object?.members.map(\.value) }
        let keys = given.keys.isEmpty ? ["key"] : given.keys
        let values = Dictionary(zip(keys, sample.value)) { first, _ in first }
        return TypeSample(value: values, type: .map(sample.type))
    }
}

extension TypeRecorder {
    /// Returns the elements of a given value, or one placeholder, and the type of an element.
    fileprivate func elements<Element: Decodable>(
        _ type: Element.Type, of given: GivenValue, _ content: (JSONValue) -> [JSONValue]?
    ) throws -> TypeSample<[Element]> {
        if case .json(let json) = given {
            guard let elements = content(json) else { throw MachineMismatch("a \(json.kind) has no elements") }
            let samples = try elements.map { try self.sample(of: type, from: .json($0)) }
            if let first = samples.first { return TypeSample(value: samples.map(\.value), type: first.type) }
        }
        let sample = try? self.sample(of: type, from: .placeholder)
        let isEmpty = if case .json = given { true } else { sample == nil }
        return TypeSample(value: sample.flatMap { isEmpty ? nil : [$0.value] } ?? [], type: sample?.type ?? .open)
    }
}
