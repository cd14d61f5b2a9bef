public import WorkflowJSON

/// A JSON object whose fields are in one list, which reads them and writes them. Tests describe them by it, too.
public protocol WireRecord: WireObject, WireValue {
    /// Takes every field from the visitor, in the order of the wire.
    init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure)
    /// Refuses a combination of fields that no field alone shows.
    func check() throws(WireError)
}

/// A pass over the list of fields of a record: it reads the fields, or writes them.
///
/// Each function takes a field's name and a function that returns its value in an existing record. A pass that makes a
/// record, such as reading, does not call that function. Each returns the field's value in the record that the pass
/// makes.
public protocol FieldVisitor<Root> {
    /// The record.
    associatedtype Root
    /// The error of a pass; `Never` except when reading.
    associatedtype Failure: Error

    /// Visits a field that must be present.
    mutating func required<Value: WireValue>(
        _ name: String, _ value: (Root) -> Value
    ) throws(Failure) -> Value
    /// Visits a field that may be absent; null counts as absent.
    mutating func optional<Value: WireValue>(
        _ name: String, _ value: (Root) -> Value?
    ) throws(Failure) -> Value?
    /// Visits a field that must be present, of a size within bounds.
    mutating func required<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value, in range: ClosedRange<Int>
    ) throws(Failure) -> Value
    /// Visits a field that may be absent, of a size within bounds.
    mutating func optional<Value: WireBounded>(
        _ name: String, _ value: (Root) -> Value?, in range: ClosedRange<Int>
    ) throws(Failure) -> Value?
    /// Visits a field that may be absent, and is written as null if it has no value.
    mutating func nullable<Value: WireValue>(
        _ name: String, _ value: (Root) -> Value?
    ) throws(Failure) -> Value?
    /// Visits a field that has one value or a list, or is absent. Equal values count once.
    mutating func oneOrMore<Value: WireValue & Equatable>(
        _ name: String, _ value: (Root) -> [Value]
    ) throws(Failure) -> [Value]
    /// Visits the fields of another record, which are among the fields of this one.
    mutating func inlined<Value: WireRecord>(_ value: (Root) -> Value) throws(Failure) -> Value
}

extension WireRecord {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Self {
        guard let object = json.object else { throw place.expected("map", found: json) }
        var reader = FieldReader<Self>(fields: WireFields(object, at: place))
        let record = try Self(fields: &reader)
        try record.check()
        try reader.fields.refuseUnknown()
        return record
    }

    public init(fields: inout WireFields) throws(WireError) {
        var reader = FieldReader<Self>(fields: .none)
        swap(&reader.fields, &fields)
        self = try Self(fields: &reader)
        swap(&reader.fields, &fields)
        try check()
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writeFields(to: &$0) }
    }

    /// Writes the fields without the braces.
    public func writeFields(to writer: inout JSONWriter) {
        var fields = FieldWriter(self)
        swap(&fields.writer, &writer)
        _ = Self(fields: &fields)
        swap(&fields.writer, &writer)
    }

    public func check() throws(WireError) {}
}
