import Testing

/// A text file of the repository.
struct SourceFile: Sendable, CustomStringConvertible {
    /// The path from the repository's root, with slashes.
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

    /// Returns true if the file is in a folder of the repository, at any depth.
    func isIn(_ folder: String) -> Bool { path.hasPrefix(folder + "/") }
}

/// A place that breaks a rule.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    /// The line, counted from 1; `nil` for the whole file.
    let line: Int?
    let message: String

    init(_ path: String, line: Int? = nil, _ message: String) {
        self.path = path
        self.line = line
        self.message = message
    }

    var description: String { line.map { "\(path):\($0): \(message)" } ?? "\(path): \(message)" }
}

/// Fails with all findings, one in each line.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
    guard !findings.isEmpty else { return }
    let list = findings.map { "  \($0)" }.joined(separator: "\n")
    Issue.record("\(findings.count) findings:\n\(list)", sourceLocation: sourceLocation)
}
