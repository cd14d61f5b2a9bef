import Statechart

/// An element of an XML document, with its place.
struct MarkupElement {
    /// An attribute of an element.
    struct Attribute {
        /// The name, with its prefix if any.
        let name: String
        let value: String
        let place: DefinitionPlace
    }

    /// The name without a prefix.
    let name: String
    /// The namespace; empty for none.
    let namespace: String
    /// The attributes in the order of the text, without namespace declarations.
    let attributes: [Attribute]
    /// The place of the start tag.
    let place: DefinitionPlace
    var children: [MarkupElement] = []
    /// The text directly inside the element, without the text of its children.
    var text = ""

    /// Returns the attribute with a name; `nil` if there is none.
    subscript(name: String) -> Attribute? {
        attributes.first { $0.name == name }
    }

    /// Returns the value of an attribute without surrounding white space; `nil` if the attribute is absent or blank.
    func trimmed(_ name: String) -> String? {
        guard let text = self[name]?.value.trimmingBlanks, !text.isEmpty else { return nil }
        return text
    }

    /// Returns the place of an attribute; the element's place if the attribute is absent.
    func place(of name: String) -> DefinitionPlace {
        self[name]?.place ?? place
    }
}

extension String {
    /// The text without XML white space at its ends.
    var trimmingBlanks: String {
        let scalars = unicodeScalars
        let isBlank = { (scalar: Unicode.Scalar) in " \t\r\n".unicodeScalars.contains(scalar) }
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// The parts of the text between XML white space.
    var words: [String] {
        unicodeScalars.split { " \t\r\n".unicodeScalars.contains($0) }.map { String($0) }
    }
}
