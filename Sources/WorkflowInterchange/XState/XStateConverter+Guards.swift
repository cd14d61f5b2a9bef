import Statechart

extension XStateConverter {
    /// Returns a guard as an expression.
    mutating func condition(_ value: DefinitionNode) -> DefinitionNode {
        if case .bool = value.content { return value }
        let text = text(of: value)
        guard negatedPlaceholder else { return .string(text, at: value.place) }
        // The negation of a placeholder for an unknown guard must not hold either.
        negatedPlaceholder = false
        let message =
            "this guard negates something that is not known here; 'false &&' keeps it from holding until it is"
        notes.warning(message, at: value.place, touching: .course)
        return .string("false && (\(text))", at: value.place)
    }

    /// Returns a part of a larger expression, in brackets unless it is a name or a call.
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

    /// Returns the text of a guard object.
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
            guard written.isEmpty else { return namedGuard(written, params: params, at: value.place) }
            if value["function"] != nil { return codedGuard(value) }
        }
        return placeholder("this guard has no counterpart", at: value.place)
    }

    private mutating func placeholder(_ reason: String, at place: DefinitionPlace?) -> String {
        if negations > 0 { negatedPlaceholder = true }
        notes.warning("\(reason); 'false' stands in its place", at: place, touching: .course)
        return "false"
    }

    /// Returns the expression for a guard that is code.
    private mutating func codedGuard(_ value: DefinitionNode) -> String {
        let (code, place) = (value["function"]?.text ?? "", value.place)
        let shown = code.quoted(ImportLimits.quotedCode)
        switch expression(ofCode: code) {
        case .success(let text):
            notes.info("this guard is code; it is written as an expression here: \(shown)", at: place)
            return text
        case .failure(let failure):
            if negations > 0 { negatedPlaceholder = true }
            let key = uniqueGuards.numbered("inline")
            addedGuards.append(DefinitionNode.Member(key, .bool(false, at: place), at: place))
            let message =
                "this guard is code (\(failure.reason)); it is called '\(key)' here, and 'false' until it is written"
            notes.warning("\(message): \(shown)", at: place, touching: .course)
            return key
        }
    }

    /// Returns the expression for a guard's function. A translation with a decisive difference is a failure.
    private func expression(ofCode code: String) -> Result<String, ScriptFailure> {
        do throws(ScriptFailure) {
            let names = XStateFunction.names(ofContext: root["context"], renamed: contextNames)
            var translator = ScriptTranslator(names: names)
            let function = try XStateFunction(code, isVersion4: isVersion4)
            let text = try translator.condition(function.expression())
            if let remark = translator.remarks.sorted().first(where: \.decides) {
                throw ScriptFailure(reason: remark.message)
            }
            if let mistake = test.mistake(inGuard: text) { throw ScriptFailure(reason: mistake) }
            return .success(text)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the name of a guard. The same guard with other parameters is a separate guard.
    private mutating func namedGuard(_ name: String, params: DefinitionNode?, at place: DefinitionPlace?) -> String {
        let params = params == .map([]) ? nil : params
        if let params {
            let message = "the parameters of the guard \(name.quoted) are left out"
            notes.warning(message, at: params.place, touching: .course)
        }
        if test.mistake(inGuard: name) == nil { return name }
        return namedGuard(name, identity: name + (params?.text(as: .json) ?? ""), at: place)
    }

    /// Returns the name of a guard that the configuration only names. The guard gets an entry that never holds.
    ///
    /// - Parameter identity: The name with its parameters.
    private mutating func namedGuard(_ name: String, identity: String? = nil, at place: DefinitionPlace?) -> String {
        let identity = identity ?? name
        if let known = guards[identity] {
            if negations > 0, !translatedGuards.contains(known) { negatedPlaceholder = true }
            return known
        }
        let like = ExpressionText.identifier(like: name)
        let isUsable = ExpressionTest.isFree(like) && like.utf8.count <= DefinitionLimits.nameBytes
        let key = uniqueGuards.name(isUsable ? like : String(like.prefix(DefinitionLimits.nameBytes - 20)) + "_guard")
        guards[identity] = key
        let called = key == name ? "" : ", called '\(key)' here,"
        let code = root["guards"]?[name]?["function"]?.text
        let shown = code.map { ": " + $0.quoted(ImportLimits.quotedCode) } ?? ""
        if let code, case .success(let text) = expression(ofCode: code) {
            translatedGuards.insert(key)
            let isLiteral = text == "true" || text == "false"
            let node = isLiteral ? DefinitionNode.bool(text == "true", at: place) : .string(text, at: place)
            addedGuards.append(DefinitionNode.Member(key, node, at: place))
            let message = "the guard \(name.quoted)\(called) is code; it is written as an expression here"
            notes.info(message + shown, at: place)
            return key
        }
        if negations > 0 { negatedPlaceholder = true }
        addedGuards.append(DefinitionNode.Member(key, .bool(false, at: place), at: place))
        let kind = code == nil ? "only named" : "code"
        let message = "the guard \(name.quoted)\(called) is \(kind); it is 'false' until it is written\(shown)"
        notes.warning(message, at: place, touching: .course)
        return key
    }

    /// Returns the test that states are active, given by an id, a path, or a map of regions to their active states.
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
            // The value says nothing about lower states.
            paths.append(!base.isEmpty && names.exists(base) ? base : nil)
        }
    }
}
