/// Texts with parts in braces: expressions in URLs, and names of secrets in headers.
enum BracedText {
    /// Returns the place of the brace that closes the brace at a place; `nil` if none closes it. Braces in strings of
    /// the expression do not count.
    static func closing(_ text: [Unicode.Scalar], from open: Int) -> Int? {
        var depth = 0
        var place = open
        while place < text.count {
            switch text[place] {
            case "{": depth += 1
            case "}":
                depth -= 1
                if depth == 0 { return place }
            case "'", "\"":
                guard let end = endOfString(text, from: place) else { return nil }
                place = end
            default: break
            }
            place += 1
        }
        return nil
    }

    /// Returns the message `'{context.id' is not closed`.
    static func notClosed(_ text: [Unicode.Scalar], from open: Int) -> String {
        "\(String(String.UnicodeScalarView(text[open...])).quoted) is not closed"
    }

    /// Returns true if an expression has a name in braces outside its strings, which no valid expression has. Such a
    /// name is a placeholder for a secret, or for a variable in other languages.
    static func namesPlace(_ expression: String) -> Bool {
        let text = Array(expression.unicodeScalars)
        var open: Int?
        var place = 0
        while place < text.count {
            switch text[place] {
            case "{": open = place
            case "}":
                if let open, StateName.isValid(String(String.UnicodeScalarView(text[(open + 1)..<place]))) {
                    return true
                }
                open = nil
            case "'", "\"":
                guard let end = endOfString(text, from: place) else { return false }
                place = end
                open = nil
            default: break
            }
            place += 1
        }
        return false
    }

    /// Returns the place of the last quote of the CEL string that begins at a place; `nil` if the string does not end.
    private static func endOfString(_ text: [Unicode.Scalar], from start: Int) -> Int? {
        let quote = text[start]
        let isRaw = start > 0 && (text[start - 1] == "r" || text[start - 1] == "R")
        let isTripled = text[start...].prefix(3).count == 3 && text[start...].prefix(3).allSatisfy { $0 == quote }
        var place = start + (isTripled ? 3 : 1)
        while place < text.count {
            if text[place] == "\\", !isRaw {
                place += 1
            } else if text[place] == quote {
                if !isTripled { return place }
                let end = text[place...].prefix(3)
                if end.count == 3, end.allSatisfy({ $0 == quote }) { return place + 2 }
            }
            place += 1
        }
        return nil
    }
}
