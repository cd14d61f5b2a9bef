/// The request of a form: what it asks for, and its fields.
package struct FormRequest: Sendable {
    /// The words of the path after `/console/act`, percent-decoded: the act, and what it is done to. Empty for a login.
    let words: [String]
    private let fields: [(name: String, value: String)]

    /// Reads a request; `nil` if a field stands twice that may stand once.
    ///
    /// - Parameters:
    ///   - words: The words of the path after `/console/act`, percent-decoded.
    ///   - fields: The fields of the form in their order.
    package init?(words: [String], fields: [(name: String, value: String)]) {
        guard Self.repeated(in: fields) == nil else { return nil }
        (self.words, self.fields) = (words, fields)
    }

    /// Returns the name of a field that stands twice, although it may stand once; `nil` for none.
    package static func repeated(in fields: [(name: String, value: String)]) -> String? {
        var names: Set<String> = []
        return fields.first { $0.name != instances && !names.insert($0.name).inserted }?.name
    }

    /// The fields as they can be sent in another session: without what that of the form gave, and from its rehearsal.
    var kept: [(name: String, value: String)] {
        fields.filter { !["form", "key", "seq", "confirmed", "edit"].contains($0.name) }
            .map { ($0.name, $0.name == "step" ? "rehearse" : $0.value) }
    }

    /// The name of the field that may stand more than once.
    static let instances = "instance"

    /// Returns the value of a field; `nil` for one that is missing, or has spaces alone.
    package func text(_ name: String) -> String? {
        fields.first { $0.name == name && $0.value.contains { !$0.isWhitespace } }?.value
    }

    /// Returns all values of a field in their order, without empty ones.
    func values(_ name: String) -> [String] { fields.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }

    /// True if the box was ticked, or the button pressed, that has the name.
    func has(_ name: String) -> Bool { fields.contains { $0.name == name } }
}
