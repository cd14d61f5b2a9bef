import Foundation
import Testing

/// A file of `Programs`. The comment `// error: …` is above the line that the compiler refuses.
struct Program: CustomTestStringConvertible {
    let path: String
    /// The diagnostics in the comments.
    let expected: [Diagnostic]

    var name: String { URL(filePath: path).deletingPathExtension().lastPathComponent }
    var testDescription: String { name }

    /// Returns all programs, by name.
    static func all() throws -> [Program] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Programs").path
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { file in
            let path = folder + "/" + file
            let text = try String(contentsOfFile: path, encoding: .utf8)
            return Program(path: path, expected: expectations(of: text))
        }
    }

    private static func expectations(of text: String) -> [Diagnostic] {
        var expected: [Diagnostic] = []
        var pending: [Diagnostic] = []
        for (line, content) in zip(1..., text.split(separator: "\n", omittingEmptySubsequences: false)) {
            if let comment = content.drop(while: { $0 == " " }).wholeMatch(of: /\/\/ (error|note): (.*)/) {
                guard let kind = Diagnostic.Kind(rawValue: String(comment.1)) else { continue }
                pending.append(Diagnostic(line: line, kind: kind, message: String(comment.2)))
            } else {
                expected += pending.map { Diagnostic(line: line, kind: $0.kind, message: $0.message) }
                pending = []
            }
        }
        return expected + pending
    }
}

/// A diagnostic of the compiler about a line.
struct Diagnostic: Hashable {
    enum Kind: String { case error, note }

    /// The number of the line; 0 if the diagnostic is not about the program.
    let line: Int
    let kind: Kind
    let message: String
}
