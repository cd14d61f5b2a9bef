import WorkflowAPI

/// An address below `/console/`: literal words, and names that are percent-encoded. So no link leaves the console, and
/// none has a scheme.
package struct Link: Sendable, CustomStringConvertible {
    /// The path that everything in the console begins with.
    package static let root = "/console/"

    /// The path with its query.
    package private(set) var text: String
    package var description: String { text }

    /// - Parameters:
    ///   - words: The words after `/console/`, such as `instances`; empty for the overview.
    ///   - name: The last word, which may be any text; `nil` for none.
    ///   - query: The parameters; those without a value are left out.
    init(_ words: StaticString = "", _ name: String? = nil, _ query: [(name: String, value: String?)] = []) {
        var text = "\(Self.root)\(words)"
        if let name { text += "/\(PercentEncoding.encode(name))" }
        var separator = "?"
        for (key, value) in query {
            guard let value else { continue }
            text += "\(separator)\(PercentEncoding.encode(key))=\(PercentEncoding.encode(value))"
            separator = "&"
        }
        self.text = text
    }

    /// Creates the address of a form for an instance.
    init(form word: StaticString, of instance: String, _ query: [(name: String, value: String?)] = []) {
        // The query behind an empty path is the text after the root.
        let query = Link("", nil, query).text.dropFirst(Self.root.count)
        text = "\(Self.root)instances/\(PercentEncoding.encode(instance))/\(word)\(query)"
    }

    /// Creates an address of two literal words and a name.
    init(_ folder: StaticString, _ word: StaticString, _ name: String) {
        text = "\(Self.root)\(folder)\(word)/\(PercentEncoding.encode(name))"
    }

    /// Takes the target of a request; `nil` for one that is not a plain path below `/console/`.
    package init?(target: String) {
        let isPlain = target.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        // A browser takes steps out of a path, also those that are percent-encoded (https://url.spec.whatwg.org).
        let words = target.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        let hasSteps = words.contains { [".", ".."].contains($0.lowercased().replacing("%2e", with: ".")) }
        guard target.hasPrefix(Self.root), isPlain, !hasSteps, target.utf8.count <= 4_096 else { return nil }
        text = target
    }

    /// Returns the link to an instance, as it is now or was after a macrostep.
    static func instance(_ name: String, seq: Int64? = nil) -> Link {
        Link("instances", name, [("seq", seq.map { String($0) })])
    }

    /// Returns the link to the rows of an instance's history that end with a row.
    static func rows(through last: Int64, of name: String, seq: Int64?) -> Link {
        Link("instances", name, [("seq", seq.map { String($0) }), ("rows", "\(last)")]).followed(by: "#history")
    }

    /// Returns the link to the history of an instance as a file.
    static func history(of name: String) -> Link {
        Link("instances", name).followed(by: "/history.jsonl")
    }

    /// Returns the link to a machine.
    ///
    /// - Parameter line: The line of its source; `nil` for the beginning of the page.
    static func machine(_ name: String, version: Int64? = nil, line: Int? = nil) -> Link {
        let page = Link("machines", name, [("version", version.map { String($0) })])
        return line.map { page.followed(by: "#L\($0)") } ?? page
    }

    /// Returns the link to the same page with a folded state opened in its drawing.
    ///
    /// - Parameter path: The path of the state; `nil` folds all states.
    static func opening(_ path: String?, in request: PageRequest) -> Link {
        let others = request.query.filter { path != nil || $0.name != "open" }
        let query = others.map { (name: $0.name, value: String?.some($0.value)) } + [(name: "open", value: path)]
        let name = request.words.count > 1 ? request.words[1] : nil  // Proof: there are two
        return request.words.first == "machines" ? Link("machines", name, query) : Link("instances", name, query)
    }

    /// Returns the link to a list of instances.
    static func instances(_ parameters: InstanceListParameters) -> Link {
        Link("instances", query: parameters.queryText)
    }

    /// The parameter of a stream with the number of recorded changes that the page knows.
    package static let changes = "changes"

    /// Returns the stream of an instance, which begins where a page was made.
    static func stream(ofInstance name: String, for page: PageRequest) -> Link {
        Link("stream", nil, [("instance", name), ("after", page.cursor)])
    }

    /// Returns the stream of all instances of some machines, which begins where a page was made; no machine means all.
    static func stream(ofMachines names: [String], for page: PageRequest) -> Link {
        let place = [("after", page.cursor), (changes, page.changes.map { String($0) })]
        return Link("stream", nil, names.map { ("machine", $0) } + place)
    }

    /// Returns the link to the same page, which then says what was done.
    func after(_ act: ConsoleAct) -> Link { followed(by: "\(text.contains("?") ? "&" : "?")done=\(act.word)") }

    /// - Parameter rest: Text that needs no encoding.
    private func followed(by rest: String) -> Link {
        var link = self
        link.text += rest
        return link
    }

    /// - Parameter query: A query that is encoded already, with its question mark, or empty.
    private init(_ words: StaticString, query: String) {
        text = "\(Self.root)\(words)\(query)"
    }
}
