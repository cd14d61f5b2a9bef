public import WorkflowJSON

/// A value on the wire: it can be read and written.
public protocol WireValue: WireReadable, JSONWritable, Sendable {}

/// A value whose size can be bounded.
public protocol WireBounded: WireValue {
    /// The size to which the bounds apply.
    var size: Int { get }
    /// Returns the end of the message for a size out of bounds, after `Field 'max' must `.
    static func message(_ range: ClosedRange<Int>, not size: Int) -> String
}

extension Int: WireBounded {
    public var size: Int { self }

    public static func message(_ range: ClosedRange<Int>, not size: Int) -> String {
        "be from \(range.lowerBound) to \(range.upperBound), not \(size)"
    }
}

extension String: WireBounded {
    public var size: Int { utf8.count }

    public static func message(_ range: ClosedRange<Int>, not size: Int) -> String {
        "have \(range.lowerBound) to \(range.upperBound) bytes, not \(size)"
    }
}

extension Int64: WireValue {}
extension Bool: WireValue {}
extension JSONValue: WireValue {}
extension JSONObject: WireValue {}
extension Array: WireValue where Element: WireValue {}

extension Double: WireValue {
    public func write(to writer: inout JSONWriter) { JSONValue.double(self).write(to: &writer) }
}

/// Texts by names, in an object.
extension Dictionary: WireReadable, JSONWritable, WireValue where Key == String, Value == String {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> [String: String] {
        var texts: [String: String] = [:]
        for member in try JSONObject.read(json, at: place).members {
            texts[member.key] = try String.read(member.value, at: place.field(member.key))
        }
        return texts
    }

    public func write(to writer: inout JSONWriter) {
        var object = JSONObject()
        for (name, text) in self { object[name] = .string(text) }
        object.write(to: &writer)
    }
}
