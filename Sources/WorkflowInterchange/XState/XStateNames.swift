import Statechart

/// The states of a configuration, and their new names in the definition.
struct XStateNames {
    /// The new names of keys and ids that are invalid in definitions.
    private var renamed: [String: String] = [:]
    /// The paths of the states, as written.
    private var paths: Set<String> = [""]
    /// The paths of states by their ids: written ids, and ids that XState assigns (`machine.path`).
    private var pathsByID: [String: String] = [:]
    /// The written ids by path.
    private var ids: [String: String] = [:]
    /// The machine's written name; `root` is its name in the definition.
    private let written: String
    private(set) var root = ""

    /// The name of a machine without a name (XState 5, `StateMachine.id`).
    static let unnamed = "(machine)"

    /// Collects the states below a configuration's root, and notes renamed states.
    init(of root: DefinitionNode, name: String, _ notes: inout ImportNoteList) {
        var words: [(text: String, place: DefinitionPlace?)] = []
        written = name
        pathsByID[name] = ""
        collect(root, path: "", &words)
        for path in paths where !path.isEmpty {
            let id = name + "." + path
            if pathsByID[id] == nil { pathsByID[id] = path }
        }
        let isKept = { (text: String) in StateName.isValid(text) && text.utf8.count <= DefinitionLimits.nameBytes }
        var unique = UniqueNames(taken: Set(words.map(\.text).filter(isKept)))
        let wanted = name == Self.unnamed ? "machine" : name
        self.root = isKept(wanted) ? wanted : unique.name(UniqueNames.stateName(like: wanted))
        for word in words where !isKept(word.text) && renamed[word.text] == nil {
            let name = unique.name(UniqueNames.stateName(like: word.text))
            renamed[word.text] = name
            notes.info("the state \(word.text.quoted) is called '\(name)' here", at: word.place)
        }
    }

    private mutating func collect(
        _ state: DefinitionNode, path: String, _ words: inout [(text: String, place: DefinitionPlace?)]
    ) {
        if let id = state["id"]?.text {
            pathsByID[id] = path
            ids[path] = id
            if !path.isEmpty { words.append((id, state["id"]?.place)) }
        }
        for member in state["states"]?.members ?? [] {
            let path = path.isEmpty ? member.key : path + "." + member.key
            paths.insert(path)
            words.append((member.key, member.place))
            collect(member.value, path: path, &words)
        }
    }

    /// Returns the name of a state's key or id in the definition.
    func name(_ word: String) -> String {
        renamed[word] ?? word
    }

    /// Returns a target in the definition's form.
    func target(_ target: String) -> String {
        guard !renamed.isEmpty || root != written || target.contains("\\") else { return target }
        if target.hasPrefix("#") {
            let target = Self.unescaped(target)
            // The longest id is tried first; the rest is keys.
            var id = target.dropFirst()
            while true {
                let rest = target.dropFirst(1 + id.count)
                if id == written { return "#" + root + keys(rest) }
                if pathsByID[String(id)].map({ isOwn(id, at: $0) }) ?? (renamed[String(id)] != nil) {
                    return "#" + (renamed[String(id)] ?? keys(id)) + keys(rest)
                }
                guard let dot = id.lastIndex(of: ".") else { return target }
                id = id[..<dot]
            }
        }
        return keys(target[...])
    }

    /// Returns true if an id is written at its state. The ids that XState assigns begin with the machine's name.
    private func isOwn(_ id: Substring, at path: String) -> Bool {
        ids[path].map { $0 == id } ?? false
    }

    private func keys(_ path: Substring) -> String {
        if let name = renamed[String(path)] { return name }
        return Self.keys(path).map { name($0) }.joined(separator: ".")
    }

    /// Returns the keys of a path. A dot within a key has a backslash before it.
    private static func keys(_ path: Substring) -> [String] {
        let mark = "\u{0}"
        let parts = path.replacing("\\.", with: mark).split(separator: ".", omittingEmptySubsequences: false)
        return parts.map { String($0).replacing(mark, with: ".") }
    }

    private static func unescaped(_ path: String) -> String { path.replacing("\\.", with: ".") }

    /// Returns the path of the state that a target names; `nil` if there is none.
    func path(of target: String, from source: String) -> String? {
        let path: String
        let target = Self.unescaped(target)
        if target.hasPrefix("#") {
            return self.path(ofID: target.dropFirst())
        } else if target.hasPrefix(".") {
            path = source.isEmpty ? String(target.dropFirst()) : source + target
        } else {
            guard !source.isEmpty else { return nil }
            let parent = source.lastIndex(of: ".").map { source[..<$0] + "." } ?? ""
            path = parent + target
        }
        return paths.contains(path) ? path : nil
    }

    private func path(ofID target: Substring) -> String? {
        var id = target
        while true {
            if let path = pathsByID[String(id)] {
                let rest = target.dropFirst(id.count)
                let whole = path.isEmpty ? String(rest.dropFirst()) : path + rest
                return paths.contains(whole) ? whole : nil
            }
            guard let dot = id.lastIndex(of: ".") else { return nil }
            id = id[..<dot]
        }
    }

    /// Returns true if a state has this path.
    func exists(_ path: String) -> Bool {
        paths.contains(path)
    }

    /// Returns the name for `In` and `done.state`: the written id of a state, or else its path.
    func name(ofPath path: String) -> String {
        path.isEmpty ? root : ids[path].map { name($0) } ?? keys(path[...])
    }

    /// Returns the path of the state with an id, written or assigned by XState.
    func path(ofStateID id: String) -> String? {
        pathsByID[id]
    }

    /// Returns `done.state.<name>` for an id of XState; `nil` if there is no such state.
    func doneEvent(ofID id: String) -> String? {
        pathsByID[id].map { "done.state." + name(ofPath: $0) }
    }
}
