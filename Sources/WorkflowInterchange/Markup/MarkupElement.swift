import Statechart

/// An element of an XML document, with its place.
struct MarkupElement {
    /// An attribute as written in the element.
    struct Attribute {
        /// With its prefix, if it has one.
        let name: String
        let value: String
        let place: DefinitionPlace
    }

    /// Without prefix.
    let name: String
    /// Empty for none.
    let namespace: String
    /// In the order of the text, without declarations of namespaces.
    let attributes: [Attribute]
    /// Where its start tag begins.
    let place: DefinitionPlace
    var children: [MarkupElement] = []
    /// The text directly inside, without that of its children.
    var text = ""

    /// The attribute of a name; nil when there is none.
    subscript(name: String) -> Attribute? {
        attributes.first { $0.name == name }
    }

    /// The value of an attribute without the blanks around it; nil when there is none, or nothing but blanks.
    func trimmed(_ name: String) -> String? {
        guard let text = self[name]?.value.trimmingBlanks, !text.isEmpty else { return nil }
        return text
    }

    /// Where an attribute stands; the element's place when there is none.
    func place(of name: String) -> DefinitionPlace {
        self[name]?.place ?? place
    }
}

extension String {
    /// The text without XML's white space at its ends.
    var trimmingBlanks: String {
        let scalars = unicodeScalars
        let isBlank = { (scalar: Unicode.Scalar) in " \t\r\n".unicodeScalars.contains(scalar) }
        guard let first = scalars.firstIndex(where: { !isBlank($0) }),
            let last = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// The parts between XML's white space.
    var words: [String] {
        unicodeScalars.split { " \t\r\n".unicodeScalars.contains($0) }.map { String($0) }
    }
}
