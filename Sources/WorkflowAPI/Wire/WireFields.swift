import WorkflowJSON
import WorkflowSpelling

/// The fields of a JSON object while they are being read: it remembers which ones were asked for.
public struct WireFields {
    private let object: JSONObject
    private let place: WirePlace
    private var known: [String] = []

    init(_ object: JSONObject, at place: WirePlace) {
        self.object = object
        self.place = place
        known.reserveCapacity(8)
    }

    /// A field that must be there.
    public mutating func required<Value: WireReadable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        known.append(name)
        let here = place.field(name)
        guard let value = object[name] else {
            throw WireError(.missingField, path: here.path, message: "Field '\(here.path)' is missing")
        }
        return try Value.read(value, at: here)
    }

    /// A field that may be absent; null counts as absent.
    public mutating func optional<Value: WireReadable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(WireError) -> Value? {
        known.append(name)
        guard let value = object[name] else { return nil }
        if case .null = value { return nil }
        return try Value.read(value, at: place.field(name))
    }

    /// Throws for the first field, in the order of their names, that nobody asked for.
    func refuseUnknown() throws(WireError) {
        guard place.unknownFields == .refused,
            let name = object.members.first(where: { !known.contains($0.key) })?.key
        else { return }
        let path = place.field(name).path
        let hint = Spelling.closest(to: name, among: known).map { "; did you mean '\($0)'?" } ?? ""
        throw WireError(
            .unknownField, path: path,
            message: "Unknown field '\(path)' (known here: \(known.joined(separator: ", ")))\(hint)"
        )
    }
}
