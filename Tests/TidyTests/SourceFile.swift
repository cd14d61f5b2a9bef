import Foundation
import Synchronization
import Testing

/// A text file of the repository.
struct SourceFile: Sendable, CustomStringConvertible {
    /// The path from the repository's root, with slashes.
    let path: String
    let text: String
    let lines: [Substring]
    private let code = Code()

    init(path: String, text: String) {
        self.path = path
        self.text = text
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The newline that ends a file begins no line.
        if lines.last?.isEmpty == true { lines.removeLast() }
        self.lines = lines
    }

    var description: String { path }

    /// The lines without comments and string literals.
    var maskedLines: [String] { code.maskedLines(of: text) }

    /// The declarations.
    var outline: SwiftOutline { code.outline(of: text) }

    /// Returns those of some words that the text contains. Few files have any, and their lines are read only then.
    func mentioned(_ words: [String]) -> [String] { words.filter { strstr(text, $0) != nil } }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// Returns true if the file is in a folder of the repository, at any depth.
    func isIn(_ folder: String) -> Bool { path.hasPrefix(folder + "/") }
}

/// The parts of a text that several rules read, each found once.
private final class Code: Sendable {
    private let found = Mutex<(masked: [String]?, outline: SwiftOutline?)>((nil, nil))

    func maskedLines(of text: String) -> [String] {
        found.withLock { found in
            let masked = found.masked ?? SwiftMask.lines(of: text)
            found.masked = masked
            return masked
        }
    }

    func outline(of text: String) -> SwiftOutline {
        let masked = maskedLines(of: text)
        return found.withLock { found in
            let outline = found.outline ?? SwiftOutline(maskedLines: masked)
            found.outline = outline
            return outline
        }
    }
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
