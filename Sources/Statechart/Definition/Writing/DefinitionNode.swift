/// A definition as a tree: its content in order, independent of notation.
package struct DefinitionNode: Sendable {
    /// The content of a node.
    package indirect enum Content: Sendable {
        case null
        case bool(Bool)
        /// The number as JSON writes it: `1` and `1.0` are different.
        case number(String)
        case string(String)
        case list([DefinitionNode])
        /// The members in the order of the text, which has meaning; no key occurs twice.
        case map([Member])
    }

    /// One key of a map and its value.
    package struct Member: Sendable {
        package let key: String
        /// The place of the key, or of the value if the key has none; `nil` if both were generated.
        package let place: DefinitionPlace?
        package var value: DefinitionNode

        package init(_ key: String, _ value: DefinitionNode, at place: DefinitionPlace? = nil) {
            self.key = key
            self.value = value
            self.place = place ?? value.place
        }
    }

    package var content: Content
    /// The place where the node was read, or of the item that it was made from; `nil` if there is none. Equality
    /// ignores the place.
    package let place: DefinitionPlace?

    package init(_ content: Content, at place: DefinitionPlace? = nil) {
        self.content = content
        self.place = place
    }
}

/// A place in a text.
package struct DefinitionPlace: Hashable, Comparable, Sendable {
    /// The line, counted from 1.
    package let line: Int
    /// The column in Unicode scalars, counted from 1.
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: DefinitionPlace, right: DefinitionPlace) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension DefinitionNode {
    /// Creates a string.
    package static func string(_ text: String, at place: DefinitionPlace? = nil) -> DefinitionNode {
        DefinitionNode(.string(text), at: place)
    }

    /// Creates a bool.
    package static func bool(_ value: Bool, at place: DefinitionPlace? = nil) -> DefinitionNode {
        DefinitionNode(.bool(value), at: place)
    }

    /// Creates a list.
    package static func list(_ elements: [DefinitionNode], at place: DefinitionPlace? = nil) -> DefinitionNode {
        DefinitionNode(.list(elements), at: place)
    }

    /// Creates a map.
    package static func map(_ members: [Member], at place: DefinitionPlace? = nil) -> DefinitionNode {
        DefinitionNode(.map(members), at: place)
    }

    /// The members of a map; `nil` for any other node.
    package var members: [Member]? {
        if case .map(let members) = content { members } else { nil }
    }

    /// The elements of a list; `nil` for any other node.
    package var elements: [DefinitionNode]? {
        if case .list(let elements) = content { elements } else { nil }
    }

    /// The text of a string; `nil` for any other node.
    package var text: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// Returns the value of a key; `nil` if the node is not a map or lacks the key.
    package subscript(key: String) -> DefinitionNode? {
        members?.first { $0.key == key }?.value
    }
}

extension DefinitionNode: Equatable {
    /// Returns true for the same values of the same kinds in the same order; strings are compared by their bytes.
    package static func == (left: DefinitionNode, right: DefinitionNode) -> Bool {
        switch (left.content, right.content) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)): left == right
        case (.map(let left), .map(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
        default: false
        }
    }
}
