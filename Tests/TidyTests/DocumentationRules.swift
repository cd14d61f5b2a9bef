/// Rules for doc comments.
///
/// A `///` must be above every `package` and `public` declaration, and above every function of a protocol that is
/// `package` or `public`. Attributes may be between. Exempt are
///
/// - `init`, `case`, stored and computed properties: they belong to a type that must have a doc comment. A comment is
///   still needed if the name does not say enough, but no program can judge that;
/// - extensions, which have no documentation of their own, and imports;
/// - members that a protocol of their type requires. The requirements are read from our own protocols, whose members
///   are documented, and from a table of outside ones.
struct DocumentationRules {
    /// The members that protocols require, by the protocol's name.
    private let requirements: [String: Set<String>]
    /// The protocols of a type, and those that a protocol refines, by its name.
    private let conformances: [String: Set<String>]

    /// The members that outside protocols require, for those to which our types conform.
    private static let outside: [String: Set<String>] = [
        "AsyncIteratorProtocol": ["next"],
        "AsyncParsableCommand": ["run", "validate"],
        "AsyncSequence": ["makeAsyncIterator", "Element", "AsyncIterator"],
        "Collection": ["index"],
        "Comparable": ["<"],
        "Decoder": ["container", "unkeyedContainer", "singleValueContainer"],
        "Encodable": ["encode"],
        "Codable": ["encode"],
        "Equatable": ["=="],
        "Hashable": ["==", "hash"],
        "IteratorProtocol": ["next"],
        "ParsableCommand": ["run", "validate"],
        "RandomAccessCollection": ["index"],
        "Sequence": ["makeIterator"],
        "Service": ["run"],
        "SetAlgebra": ["contains", "insert", "remove", "update"],
    ]

    private static let exempt: Set<String> = ["init", "case", "var", "let", "extension", "import"]

    /// - Parameter files: The files with the protocols, and with the types that conform to them.
    init(_ files: [SourceFile]) {
        var requirements = Self.outside
        var conformances: [String: Set<String>] = [:]
        for file in files {
            let outline = file.outline
            for entry in outline.entries {
                let declaration = entry.declaration
                if declaration.isContainer {
                    conformances[declaration.name, default: []].formUnion(Self.protocols(in: entry.header))
                }
                let parent = outline.parent(of: entry)?.declaration
                guard let parent, parent.keyword == "protocol" else { continue }
                requirements[parent.name, default: []].insert(declaration.name)
            }
        }
        // A type that conforms to a protocol also conforms to those that it refines. Ours refine two deep at most.
        for _ in 0..<2 {
            for (name, protocols) in conformances {
                for one in protocols { conformances[name, default: []].formUnion(conformances[one] ?? []) }
            }
        }
        self.requirements = requirements
        self.conformances = conformances
    }

    /// Returns the declarations of a file that lack a doc comment.
    func documentation(_ file: SourceFile) -> [Finding] {
        let outline = file.outline
        return outline.entries.compactMap { entry in
            let declaration = entry.declaration
            let parent = outline.parent(of: entry)?.declaration
            let isRequirement = parent?.keyword == "protocol" && parent?.access == .shared
            guard declaration.access == .shared || isRequirement, !Self.exempt.contains(declaration.keyword),
                !isWitness(declaration, in: parent), !isDocumented(entry.line, in: file)
            else { return nil }
            let name = declaration.name.isEmpty ? "" : " \(declaration.name)"
            return Finding(file.path, line: entry.line, "'\(declaration.keyword)\(name)' has no doc comment")
        }
    }

    /// Returns the doc comments that begin with a relative pronoun, so that the noun is missing.
    static func firstWords(_ file: SourceFile) -> [Finding] {
        var isInside = false
        return zip(1..., file.lines).compactMap { number, line in
            let text = line.drop { $0 == " " }
            let begins = text.hasPrefix("///") && !isInside
            isInside = text.hasPrefix("///")
            guard begins, let word = text.dropFirst(3).split(separator: " ").first, pronouns.contains(word)
            else { return nil }
            return Finding(file.path, line: number, "a doc comment begins with a verb or a noun, not with '\(word)'")
        }
    }

    private static let pronouns: Set<Substring> = [
        "What", "Whether", "Of", "Where", "Who", "Whom", "Whose", "Which", "How",
    ]

    private func isWitness(_ declaration: Declaration, in parent: Declaration?) -> Bool {
        guard let parent, parent.keyword != "protocol" else { return false }
        // The methods of a result builder, and those that implement a protocol's requirement.
        if declaration.name.hasPrefix("build"), parent.name.hasSuffix("Builder") { return true }
        if parent.keyword == "extension", requirements[parent.name]?.contains(declaration.name) == true { return true }
        let protocols = conformances[parent.name] ?? []
        return protocols.contains { requirements[$0]?.contains(declaration.name) == true }
    }

    /// Returns the names after the colon of a type's head, without its `where` clause.
    private static func protocols(in header: String) -> Set<String> {
        let head = header.split(separator: " ").prefix { $0 != "where" }.joined(separator: " ")
        guard let colon = head.lastIndex(of: ":") else { return [] }
        return Set(head[colon...].split { " :,&<>".contains($0) }.map(String.init))
    }

    private func isDocumented(_ line: Int, in file: SourceFile) -> Bool {
        let above = file.lines[..<(line - 1)].last { !$0.drop { $0 == " " }.hasPrefix("@") }
        return above?.drop { $0 == " " }.hasPrefix("///") ?? false
    }
}
