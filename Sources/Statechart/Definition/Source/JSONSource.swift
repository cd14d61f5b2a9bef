import WorkflowJSON

/// Builds the nodes of a JSON text that `JSONReader` has accepted. `JSONReader` checks the text; `JSONSource` adds
/// positions and order.
///
/// JSON is not parsed as YAML, because YAML parsers reject some JSON: surrogate pairs, keys over 1,024 characters,
/// tabs.
struct JSONSource {
    private(set) var diagnostics: DiagnosticList
    private let text: [UInt8]
    private var offset = 0
    private var line = 1
    private var column = 1

    /// - Precondition: `JSONReader` reads the text without an error.
    init(validText: String, diagnostics: DiagnosticList) {
        text = Array(validText.utf8)
        self.diagnostics = diagnostics
    }

    /// Returns the root node.
    mutating func node() -> SourceNode {
        node(level: 1)
    }

    private mutating func node(level: Int) -> SourceNode {
        skipSpace()
        let start = SourcePosition(line: line, column: column)
        switch text[offset] {
        case UInt8(ascii: "{"): return SourceNode(content: mapping(level: level), position: start)
        case UInt8(ascii: "["): return SourceNode(content: sequence(level: level), position: start)
        case UInt8(ascii: "\""): return SourceNode(content: .scalar(string(), isPlain: false), position: start)
        default: return SourceNode(content: .scalar(word(), isPlain: true), position: start)
        }
    }

    private mutating func mapping(level: Int) -> SourceNode.Content {
        reportDepth(level)
        var pairs: [SourceNode.Pair] = []
        advance()
        while isInside(UInt8(ascii: "}")) {
            let position = SourcePosition(line: line, column: column)
            let key = SourceWord(text: string(), position: position)
            skipSpace()
            advance()
            pairs.append(SourceNode.Pair(key: key, value: node(level: level + 1)))
        }
        return level > DefinitionLimits.nesting ? .unreadable : .mapping(pairs)
    }

    private mutating func sequence(level: Int) -> SourceNode.Content {
        reportDepth(level)
        var elements: [SourceNode] = []
        advance()
        while isInside(UInt8(ascii: "]")) { elements.append(node(level: level + 1)) }
        return level > DefinitionLimits.nesting ? .unreadable : .sequence(elements)
    }

    /// Skips a separator between elements. Returns false at the closing bracket, after skipping it.
    private mutating func isInside(_ closing: UInt8) -> Bool {
        skipSpace()
        if text[offset] == UInt8(ascii: ",") {
            advance()
            skipSpace()
        }
        guard text[offset] == closing else { return true }
        advance()
        return false
    }

    private mutating func reportDepth(_ level: Int) {
        guard level == DefinitionLimits.nesting + 1 else { return }
        diagnostics.error(SourceNode.tooDeep, at: SourcePosition(line: line, column: column))
    }

    private mutating func string() -> String {
        let start = offset
        advance()
        while text[offset] != UInt8(ascii: "\"") {
            if text[offset] == UInt8(ascii: "\\") { advance() }
            advance()
        }
        advance()
        guard case .string(let string)? = try? JSONReader.value(from: text[start..<offset]) else {
            preconditionFailure("the text was checked to be JSON")
        }
        return string
    }

    /// Reads a number, `true`, `false` or `null`.
    private mutating func word() -> String {
        let start = offset
        while offset < text.count, !" \t\r\n,]}".utf8.contains(text[offset]) { advance() }
        return String(decoding: text[start..<offset], as: UTF8.self)
    }

    private mutating func skipSpace() {
        while offset < text.count, " \t\r\n".utf8.contains(text[offset]) { advance() }
    }

    private mutating func advance() {
        let byte = text[offset]
        offset += 1
        if byte == 0x0A {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
    }
}

extension SourceNode {
    /// The message about a node that is nested too deeply to be read.
    static let tooDeep = "nested deeper than \(DefinitionLimits.nesting) levels"
}
