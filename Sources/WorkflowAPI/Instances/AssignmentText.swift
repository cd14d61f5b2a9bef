/// A text `LEFT=RIGHT`, such as `items[0]=7`: a path or a state, and the value that it gets.
package struct AssignmentText: Equatable, Sendable {
    package let left: String
    package let right: String

    /// Splits a text at its first `=` outside of brackets, without the spaces around both sides; `nil` if a side is
    /// empty.
    package init?(_ text: String) {
        var depth = 0
        let sign = text.indices.first { place in
            if text[place] == "[" { depth += 1 }
            if text[place] == "]" { depth -= 1 }
            return depth == 0 && text[place] == "="
        }
        guard let sign else { return nil }
        left = Self.trimmed(text[..<sign])
        right = Self.trimmed(text[text.index(after: sign)...])
        if left.isEmpty || right.isEmpty { return nil }
    }

    /// Returns a text without spaces at its ends.
    package static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
