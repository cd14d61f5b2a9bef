import Testing

/// A text file of the repository.
struct SourceFile: Sendable, CustomStringConvertible {
    /// From the repository's root, with slashes.
    let path: String
    let text: String
    let lines: [Substring]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The newline that ends a file begins no line.
        if lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines
    }

    var description: String { path }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// Whether the file lies in a folder of the repository, at any depth.
    func isIn(_ folder: String) -> Bool { path.hasPrefix(folder + "/") }
}

/// A place where the house is not in order.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    /// From 1; nil when the whole file is meant.
    let line: Int?
    let message: String

    init(_ path: String, line: Int? = nil, _ message: String) {
        self.path = path
        self.line = line
        self.message = message
    }

    var description: String { line.map { "\(path):\($0): \(message)" } ?? "\(path): \(message)" }
}

/// Fails with all findings, a line each.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
    guard !findings.isEmpty else { return }
    let list = findings.map { "  \($0)" }.joined(separator: "\n")
    Issue.record("\(findings.count) findings:\n\(list)", sourceLocation: sourceLocation)
}
