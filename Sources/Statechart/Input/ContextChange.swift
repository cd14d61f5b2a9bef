import WorkflowCEL
package import WorkflowJSON
import WorkflowSpelling

/// A change that a person makes to an instance's context; it is applied completely or not at all.
package struct ContextChange: Sendable, Equatable {
    /// The most paths in one change.
    package static let paths = 200

    /// The values to set, by path: `total`, `customer.name`, `items[0]`.
    package var set: JSONObject
    /// The paths to remove.
    package var unset: [String]

    package init(set: JSONObject, unset: [String]) {
        self.set = set
        self.unset = unset
    }

    /// Reads the value of `data`.
    init(_ data: JSONValue?) throws(ContextMistake) {
        let object = data?.object
        set = object?["set"]?.object ?? JSONObject()
        unset = []
        guard case .array(let paths)? = object?["unset"] else { return }
        for path in paths {
            guard let path = path.string else { throw ContextMistake(message: "'unset' lists paths") }
            unset.append(path)
        }
    }

    /// The change as a row stores it.
    package var data: JSONValue {
        var object = JSONObject()
        if !set.isEmpty { object["set"] = .object(set) }
        if !unset.isEmpty { object["unset"] = .array(unset.map(JSONValue.string)) }
        return .object(object)
    }

    /// The lines for a trace.
    var deeds: [String] {
        self.set.members.map { "set \($0.key) = \(JSONWriter.string($0.value))" } + unset.map { "unset \($0)" }
    }

    /// Changes a context of a machine in the same way as `assign`: all steps of a path but the last must exist.
    func apply(to context: inout JSONObject, of machine: Machine) throws(ContextMistake) {
        let paths = try checkedPaths()
        var changed = context
        for (path, value) in zip(paths, set.members.map(\.value)) {
            try path.checkWay(in: changed, of: machine)
            let type = machine.contextTypes[path.key] ?? .dyn
            do throws(ContextAssignment.Failure) {
                try ContextAssignment(path: path.steps, text: path.text, value: value, type: type)
                    .apply(to: &changed, of: machine)
            } catch {
                throw ContextMistake(message: "'\(path.text)' cannot be set: \(error.message)")
            }
        }
        for path in paths.dropFirst(set.count) { try path.remove(from: &changed, of: machine) }
        guard JSONValue.object(changed).isKeepable else {
            throw ContextMistake(message: "The context would be \(StepLimits.tooLarge)")
        }
        context = changed
    }

    /// Returns the paths to set, followed by the paths to remove.
    private func checkedPaths() throws(ContextMistake) -> [ContextPath] {
        let texts = set.members.map(\.key) + unset
        if texts.isEmpty { throw ContextMistake(message: "There is nothing to set") }
        guard texts.count <= Self.paths else {
            throw ContextMistake(message: "At most \(Self.paths) paths are set at a time")
        }
        var paths: [ContextPath] = []
        for text in texts { paths.append(try ContextPath(text)) }
        for (place, path) in paths.enumerated() {
            for (other, outer) in paths.enumerated() where other != place && path.steps.starts(with: outer.steps) {
                throw ContextMistake(message: "'\(path.text)' lies inside '\(outer.text)', which is changed too")
            }
        }
        return paths
    }
}

/// The reason why a context change is invalid.
package struct ContextMistake: Error {
    /// The message for the caller.
    package let message: String
}

/// A path into a context, as a person writes it: `customer.name`, `items[0].price`, `rates["EUR"]`.
struct ContextPath {
    let text: String
    /// The steps; the first is a key of the context.
    let steps: [ContextAssignment.Step]
    /// The key of the context that the path begins with.
    let key: String

    init(_ text: String) throws(ContextMistake) {
        let rule = "keys joined by dots, and places in brackets, such as items[0].name or rates[\"EUR\"]"
        let mistake = ContextMistake(message: "'\(text)' is no path into the context: \(rule)")
        guard text.utf8.count <= DefinitionLimits.pathBytes else { throw mistake }
        var rest = text.unicodeScalars[...]
        guard let first = Self.identifier(&rest) else { throw mistake }
        var steps: [ContextAssignment.Step] = [.key(first)]
        while let next = rest.popFirst() {
            guard steps.count < DefinitionLimits.nesting,
                let step = next == "." ? Self.identifier(&rest).map({ .key($0) }) : Self.bracketed(next, &rest)
            else { throw mistake }
            steps.append(step)
        }
        self.text = text
        self.steps = steps
        key = first
    }

    private static func identifier(_ rest: inout Substring.UnicodeScalarView) -> String? {
        let name = rest.prefix { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_") }
        guard let first = name.first, !("0"..."9").contains(first) else { return nil }
        rest = rest[name.endIndex...]
        return String(name)
    }

    /// Reads `[0]`, `["key"]` or `['key']`.
    private static func bracketed(
        _ open: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView
    ) -> ContextAssignment.Step? {
        guard open == "[", let first = rest.first else { return nil }
        if first == "\"" || first == "'" {
            rest.removeFirst()
            let key = rest.prefix { $0 != first }
            rest = rest[key.endIndex...]
            guard rest.popFirst() == first, rest.popFirst() == "]" else { return nil }
            return .key(String(key))
        }
        let digits = rest.prefix { ("0"..."9").contains($0) }
        rest = rest[digits.endIndex...]
        guard let index = Int64(String(digits)), rest.popFirst() == "]" else { return nil }
        return .index(index)
    }
}

extension ContextPath {
    /// Throws if the context lacks the path's first key, or a map on the way to the last step lacks a key.
    func checkWay(in context: JSONObject, of machine: Machine) throws(ContextMistake) {
        guard let first = context[key] else {
            throw .unknown(key, of: "The context of '\(machine.name)'", among: context.keys)
        }
        var (value, text) = (first, key)
        for step in steps.dropFirst().dropLast() {
            switch (step, value) {
            case (.key(let key), .object(let object)):
                guard let inner = object[key] else { throw .unknown(key, of: "'\(text)'", among: object.keys) }
                (value, text) = (inner, "\(text).\(key)")
            case (.index(let index), .array(let array)):
                // A missing element is reported when the value is set.
                guard let offset = Int(exactly: index), array.indices.contains(offset) else { return }
                (value, text) = (array[offset], "\(text)[\(index)]")
            default: return
            }
        }
    }

    /// Removes the value at the path: a key of a map, or a key of the context that the machine does not declare.
    func remove(from context: inout JSONObject, of machine: Machine) throws(ContextMistake) {
        try checkWay(in: context, of: machine)
        if steps.count == 1, machine.context[key] != nil {
            throw ContextMistake(
                message: "'\(key)' cannot be unset: machine '\(machine.name)' declares it; it can be set to null "
                    + "where its type has null")
        }
        context = try Self.removing(steps[...], from: .object(context)).object ?? context
    }

    /// Returns a context without the value at the path, even if the machine declares the key; unchanged if there is no
    /// value.
    func removed(from context: JSONObject) -> JSONObject {
        // A missing value need not be removed.
        (try? Self.removing(steps[...], from: .object(context)))?.object ?? context
    }

    /// Returns a value without the value at the end of some steps.
    ///
    /// - Parameter emptiesElements: True if an element of a list becomes null; false if it is refused, because the
    ///   later elements would move.
    static func removing(
        _ steps: ArraySlice<ContextAssignment.Step>, from value: JSONValue, at text: String = "",
        emptiesElements: Bool = false
    ) throws(ContextMistake) -> JSONValue {
        guard let step = steps.first else { return value }
        let isLast = steps.count == 1
        switch (step, value) {
        case (.key(let key), .object(var object)):
            guard let inner = object[key] else { throw .unknown(key, of: "'\(text)'", among: object.keys) }
            let path = text.isEmpty ? key : "\(text).\(key)"
            object[key] =
                isLast
                ? nil : try removing(steps.dropFirst(), from: inner, at: path, emptiesElements: emptiesElements)
            return .object(object)
        case (.index, .array) where isLast && !emptiesElements:
            throw ContextMistake(message: "An element of '\(text)' cannot be unset: set the list instead")
        case (.index(let index), .array(var array)):
            guard let offset = Int(exactly: index), array.indices.contains(offset) else {
                throw ContextMistake(message: "'\(text)' has no element \(index); it has \(array.count)")
            }
            let path = "\(text)[\(index)]"
            array[offset] =
                isLast
                ? .null
                : try removing(steps.dropFirst(), from: array[offset], at: path, emptiesElements: emptiesElements)
            return .array(array)
        case (.key, _): throw ContextMistake(message: "'\(text)' is no map")
        case (.index, _): throw ContextMistake(message: "'\(text)' is no list")
        }
    }
}

extension ContextMistake {
    static func unknown(_ key: String, of owner: String, among known: [String]) -> ContextMistake {
        let meant = Spelling.closest(to: key, among: known).map { "; did you mean '\($0)'?" } ?? ""
        return ContextMistake(message: "\(owner) has no key '\(key)'\(meant)")
    }
}
