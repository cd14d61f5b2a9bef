import Statechart
import WorkflowJSON

/// Literals of Swift.
enum SwiftLiteral {
    /// Returns the lines of a raw string literal with exactly this text, to be indented alike: from `#"""` to `"""#`.
    ///
    /// The literal has as many `#` as the text needs. Characters that an editor or the compiler would change are
    /// escaped: carriage returns, other control characters, and those that change the direction of a line.
    static func lines(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        var hashes = 1
        while bytes.contains(Array((#"""""# + String(repeating: "#", count: hashes)).utf8))
            || bytes.contains(Array((#"\"# + String(repeating: "#", count: hashes)).utf8))
        { hashes += 1 }
        let marks = String(repeating: "#", count: hashes)
        let content = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        let lines = content.map { line in
            line.map { isSafe($0) ? String($0) : "\\\(marks)u{\(String($0.value, radix: 16))}" }.joined()
        }
        return ["\(marks)\"\"\""] + lines + ["\"\"\"\(marks)"]
    }

    /// Returns the literal of a text, on one line.
    static func string(_ text: String) -> String {
        let content = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\t": "\\t"
            default: isSafe(scalar) ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return "\"\(content.joined())\""
    }

    /// Returns true if a character may occur in Swift: it is visible and does not change the direction of the text.
    static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool { scalar == "\t" || isShown(scalar) }

    /// Returns the literal of a value of a known type, or `nil` for null if the type is not `JSONValue`.
    static func value(_ value: JSONValue, _ type: SwiftType) -> String? {
        if case .optional(let content) = type { return value == .null ? nil : self.value(value, content) }
        switch (value, type) {
        case (.null, .json): return ".null"
        case (.null, _): return nil
        case (.bool(let bool), _): return "\(bool)"
        case (.int, _), (.double, _): return JSONWriter.string(value)
        case (.string(let text), _): return string(text)
        case (.array(let elements), _):
            let element: SwiftType = if case .list(let element) = type { element } else { .json }
            return "[" + elements.map { self.value($0, element) ?? "nil" }.joined(separator: ", ") + "]"
        case (.object(let object), .object(let structure)):
            let fields = structure.fields.compactMap { field in
                object[field.key].flatMap { value in
                    self.value(value, field.type).map { "\(SwiftName.written(field.name)): \($0)" }
                }
            }
            return "\(structure.name)(" + fields.joined(separator: ", ") + ")"
        case (.object(let object), _):
            let element: SwiftType = if case .map(let element) = type { element } else { .json }
            let members = object.members.map { "\(string($0.key)): \(self.value($0.value, element) ?? "nil")" }
            return members.isEmpty ? "[:]" : "[" + members.joined(separator: ", ") + "]"
        }
    }
}

extension [UInt8] {
    /// Returns true if the bytes contain a part.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first, count >= part.count else { return false }
        return indices.dropLast(part.count - 1).contains {
            self[$0] == first && self[$0..<($0 + part.count)].elementsEqual(part)
        }
    }
}
