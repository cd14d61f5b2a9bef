public import WorkflowJSON

/// A word out of a fixed set.
public protocol WireWord: WireValue, RawRepresentable, CaseIterable where RawValue == String {}

extension WireWord {
    public static func read(_ json: JSONValue, at place: WirePlace) throws(WireError) -> Self {
        let word = try String.read(json, at: place)
        if let value = Self(rawValue: word) { return value }
        let words = allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw WireError(
            .invalidValue, path: place.path, message: "Field '\(place.path)' must be one of \(words), not '\(word)'"
        )
    }

    public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}
