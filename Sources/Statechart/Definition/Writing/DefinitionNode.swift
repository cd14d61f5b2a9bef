/// A definition as a tree: what stands in it, in its order, free of the notation that it is written in.
package struct DefinitionNode: Sendable {
    /// What a node is.
    package indirect enum Content: Sendable {
        case null
        case bool(Bool)
        /// As JSON writes it: `1` and `1.0` stay apart.
        case number(String)
        case string(String)
        case list([DefinitionNode])
        /// In the order of the text, which is meaning; no key stands twice.
        case map([Member])
    }

    /// One key of a map and its value.
    package struct Member: Sendable {
        package let key: String
        /// Where the key was read; nil for one that was made.
        package let place: DefinitionPlace?
        package var value: DefinitionNode

        package init(_ key: String, _ value: DefinitionNode, at place: DefinitionPlace? = nil) {
            self.key = key
            self.value = value
            self.place = place ?? value.place
        }
    }

    package var content: Content
    /// Where it was read, or what it was made from; nil when that is nowhere. Two nodes are equal whatever it is.
    package let place: DefinitionPlace?

    package init(_ content: Content, at place: DefinitionPlace? = nil) {
        self.content = content
        self.place = place
    }
}

/// A place in a text.
package struct DefinitionPlace: Hashable, Comparable, Sendable {
    /// Counted from 1.
    package let line: Int
    /// Counted in Unicode scalars, from 1.
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
    /// A string.
    package static func string(_ text: String, at place: DefinitionPlace? = nil) -> DefinitionNode {
        DefinitionNode(.string(text), at: place)
    }

    /// `true` or `false`.
    package static func bool(_ value: Bool, at place: DefinitionPlace? = nil) -> DefinitionNode {
        DefinitionNode(.bool(value), at: place)
    }

    /// A list.
    package static func list(_ elements: [DefinitionNode], at place: DefinitionPlace? = nil) -> DefinitionNode {
        DefinitionNode(.list(elements), at: place)
    }

    /// A map.
    package static func map(_ members: [Member], at place: DefinitionPlace? = nil) -> DefinitionNode {
        DefinitionNode(.map(members), at: place)
    }

    /// The members of a map; nil when this is something else.
    package var members: [Member]? {
        if case .map(let members) = content { members } else { nil }
    }

    /// The elements of a list; nil when this is something else.
    package var elements: [DefinitionNode]? {
        if case .list(let elements) = content { elements } else { nil }
    }

    /// The text of a string; nil when this is something else.
    package var text: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// The value of a key; nil when this is no map or does not have it.
    package subscript(key: String) -> DefinitionNode? {
        members?.first { $0.key == key }?.value
    }
}

extension DefinitionNode: Equatable {
    /// The same values of the same kinds in the same order; strings are compared by their bytes.
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
