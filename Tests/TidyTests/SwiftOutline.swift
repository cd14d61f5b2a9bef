/// The declarations of a Swift file and their extents, found by counting braces and parentheses in its masked lines.
struct SwiftOutline {
    struct Entry: Equatable {
        let declaration: Declaration
        /// The line of the keyword, counted from 1.
        let line: Int
        /// The line of the closing brace; the declaration's own line if it has no body.
        var end: Int
        /// The text from the keyword to the opening brace, on one line.
        var header: String
        /// The index in `entries` of the enclosing declaration; `nil` at the top and in a block that is no declaration.
        let parent: Int?
    }

    private(set) var entries: [Entry] = []
    private var scopes: [Scope] = []
    private var parentheses = 0
    /// The entry that waits for its opening brace.
    private var pending: Int?

    private struct Scope {
        let entry: Int?
        let outerParentheses: Int
        /// The entry that still waits when the scope ends, because the scope is a closure among the arguments of its
        /// head.
        let outerPending: Int?
    }

    init(maskedLines: [String]) {
        for (offset, line) in maskedLines.enumerated() { read(line, number: offset + 1) }
    }

    /// Returns the entry that encloses another; `nil` at the top.
    func parent(of entry: Entry) -> Entry? { entry.parent.map { entries[$0] } }

    private mutating func read(_ line: String, number: Int) {
        if parentheses == 0, let declaration = Declaration(line: line) {
            entries.append(
                Entry(declaration: declaration, line: number, end: number, header: "", parent: scopes.last?.entry))
            let hasBody = declaration.isContainer || Declaration.bodies.contains(declaration.keyword)
            pending = hasBody ? entries.count - 1 : nil
        }
        for character in line {
            if let pending, parentheses > 0 || character != "{" { entries[pending].header.append(character) }
            switch character {
            case "(", "[": parentheses += 1
            case ")", "]": parentheses -= 1
            case "{": open()
            case "}": close(number)
            default: break
            }
        }
        if let pending {
            entries[pending].header.append(" ")
            // The body of a property opens on its own line, or is the value of something else.
            if entries[pending].declaration.keyword == "var", parentheses == 0 { self.pending = nil }
        }
    }

    private mutating func open() {
        let isBody = parentheses == 0
        scopes.append(
            Scope(
                entry: isBody ? pending : nil, outerParentheses: parentheses, outerPending: isBody ? nil : pending))
        pending = nil
        parentheses = 0
    }

    private mutating func close(_ number: Int) {
        guard let scope = scopes.popLast() else { return }
        pending = scope.outerPending
        parentheses = scope.outerParentheses
        if let entry = scope.entry { entries[entry].end = number }
    }
}
