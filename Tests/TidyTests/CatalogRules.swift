import ManualTesting

/// Rules for the library's catalog: it must agree with the library and the examples.
enum CatalogRules {
    static let folder = folder(of: "StateMachines")

    static func folder(of library: String) -> String { "Sources/\(library)/\(library).docc" }

    /// Finds steps of a tutorial that have a line which the next step lacks, or out of its order. The last step must be
    /// the file that the tutorial leads to, or a part of it.
    static func steps(_ steps: [SourceFile], leadTo file: SourceFile, isWhole: Bool) -> [Finding] {
        var findings: [Finding] = []
        for (step, next) in zip(steps, steps.dropFirst() + [file]) {
            guard let strange = firstLine(of: step, notIn: next) else { continue }
            findings.append(Finding(step.path, line: strange, "\(next.path) lacks this line behind those above it"))
        }
        if let last = steps.last, isWhole, last.text != file.text {
            findings.append(Finding(last.path, "it is not the whole of \(file.path)"))
        }
        return findings
    }

    /// Returns the number of the first line that another file does not have after the lines before it; `nil` if it has
    /// all.
    private static func firstLine(of file: SourceFile, notIn other: SourceFile) -> Int? {
        var rest = other.lines[...]
        for (number, line) in zip(1..., file.lines) {
            guard let index = rest.firstIndex(of: line) else { return number }
            rest = rest[(index + 1)...]
        }
        return nil
    }

    /// Returns the public types of a file that are in no other type.
    static func publicTypes(in file: SourceFile) -> [String] {
        let masked = file.maskedLines
        let outline = SwiftOutline(maskedLines: masked)
        return outline.entries.filter { entry in
            let isType = entry.declaration.isContainer && entry.declaration.keyword != "extension"
            return isType && entry.parent == nil && masked[entry.line - 1].contains("public ")
        }.map(\.declaration.name)
    }

    /// Returns the symbols that the topics of a page list.
    static func topics(of page: ManualPage) -> [String] {
        page.section("## Topics").compactMap { line in
            line.wholeMatch(of: /- ``(?:\w+\/)?(\w+)``/).map { String($0.1) }
        }
    }
}
