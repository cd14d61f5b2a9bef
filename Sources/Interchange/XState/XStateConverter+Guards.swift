import Statechart

extension XStateConverter {
    /// A guard as an expression.
    mutating func condition(_ value: DefinitionNode) -> DefinitionNode {
        if case .bool = value.content { return value }
        let text = text(of: value)
        guard negatedPlaceholder else { return .string(text, at: value.place) }
        // The opposite of what stands for something unknown must not hold either.
        negatedPlaceholder = false
        let message =
            "this guard negates something that is not known here; 'false &&' keeps it from holding until it is"
        notes.warning(message, at: value.place)
        return .string("false && (\(text))", at: value.place)
    }

    /// A part of a larger expression, in brackets unless it is a name or a call.
    static func operand(_ text: String) -> String {
        let name = text.hasPrefix("!") ? text.dropFirst() : text[...]
        let inner = name.hasPrefix("In('") && name.hasSuffix("')") ? name.dropFirst(4).dropLast(2) : name
        return inner.unicodeScalars.allSatisfy { $0.properties.isIDContinue || $0 == "." } ? text : "(\(text))"
    }

    private mutating func text(of value: DefinitionNode) -> String {
        switch value.content {
        case .bool(let bool): return bool ? "true" : "false"
        case .string(let text): return test.mistake(inGuard: text) == nil ? text : namedGuard(text, at: value.place)
        case .map: return combined(value)
        default: return placeholder("this guard has no counterpart", at: value.place)
        }
    }

    /// The text of a guard object.
    private mutating func combined(_ value: DefinitionNode) -> String {
        let written = value["type"]?.text ?? ""
        let type = written.hasPrefix("xstate.") ? String(written.dropFirst(7)) : written
        let params = value["params"]
        let parts = (value["guards"] ?? value["children"] ?? params?["guards"])?.elements ?? []
        switch type {
        case "and" where !parts.isEmpty, "or" where !parts.isEmpty:
            let texts = parts.map { Self.operand(text(of: $0)) }
            return texts.joined(separator: type == "and" ? " && " : " || ")
        case "not":
            guard let part = value["guard"] ?? parts.first ?? params?["guard"] else { break }
            negations += 1
            defer { negations -= 1 }
            return "!" + Self.operand(text(of: part))
        case "stateIn", "in":
            let state = value["stateValue"] ?? value["state"] ?? params?["stateValue"] ?? params?["state"]
            guard let state = state ?? params else { break }
            return isActive(state, base: "")
        default:
            guard !written.isEmpty else { break }
            if let params, params != .map([]) {
                notes.info("the parameters of the guard \(written.quoted) are left out", at: params.place)
            }
            return test.mistake(inGuard: written) == nil ? written : namedGuard(written, at: value.place)
        }
        return placeholder("this guard has no counterpart", at: value.place)
    }

    private mutating func placeholder(_ reason: String, at place: DefinitionPlace?) -> String {
        if negations > 0 { negatedPlaceholder = true }
        notes.warning("\(reason); 'false' stands in its place", at: place)
        return "false"
    }

    /// The name of a guard that the configuration only names; it gets an entry that never holds.
    private mutating func namedGuard(_ name: String, at place: DefinitionPlace?) -> String {
        if negations > 0 { negatedPlaceholder = true }
        if let known = guards[name] { return known }
        let like = ExpressionText.identifier(like: name)
        let isUsable = ExpressionTest.isFree(like) && like.utf8.count <= DefinitionLimits.nameBytes
        let key = uniqueGuards.name(isUsable ? like : String(like.prefix(DefinitionLimits.nameBytes - 20)) + "_guard")
        guards[name] = key
        addedGuards.append(DefinitionNode.Member(key, .bool(false, at: place), at: place))
        let called = key == name ? "" : ", called '\(key)' here,"
        notes.warning("the guard \(name.quoted)\(called) is only named; it is 'false' until it is written", at: place)
        return key
    }

    /// Whether states are active: an id, a path, or a map of regions to what is active in them.
    mutating func isActive(_ value: DefinitionNode, base: String) -> String {
        var paths: [String?] = []
        if let text = value.text, text.hasPrefix("#") {
            paths = [names.path(of: text, from: "")]
        } else {
            collect(value, base, &paths)
        }
        let calls = paths.map { path in path.map { "In(" + ExpressionText.string(names.name(ofPath: $0)) + ")" } }
        guard !calls.isEmpty, !calls.contains(nil) else {
            return placeholder("a state of this guard does not exist", at: value.place)
        }
        return calls.compactMap { $0 }.joined(separator: " && ")
    }

    private func collect(_ value: DefinitionNode, _ base: String, _ paths: inout [String?]) {
        let prefix = base.isEmpty ? "" : base + "."
        if let text = value.text {
            paths.append(names.exists(prefix + text) && !text.isEmpty ? prefix + text : nil)
        } else if let members = value.members, !members.isEmpty {
            for member in members { collect(member.value, prefix + member.key, &paths) }
        } else {
            // Nothing said about what lies below.
            paths.append(!base.isEmpty && names.exists(base) ? base : nil)
        }
    }
}
