import WorkflowJSON

extension DraftReader {
    /// Reads `assign`: paths into the context and their values.
    mutating func assign(_ pair: SourceNode.Pair) -> ActionDraft? {
        guard let pairs = mapping(pair.value, "'assign'") else { return nil }
        var assignments: [AssignmentDraft] = []
        for pair in pairs {
            guard let path = path(pair.key), let value = template(pair.value) else { continue }
            assignments.append(AssignmentDraft(key: pair.key, path: path, value: typed(value, at: path)))
        }
        reportOverlaps(pairs.map(\.key).filter { $0.text.utf8.count <= DefinitionLimits.pathBytes })
        return .assign(assignments, pair.key.position)
    }

    /// Reports a key that the context lacks. The default severity is an error under `strict`, otherwise a warning,
    /// because the key may be a typo.
    mutating func checkContextKey(
        _ key: String, at position: SourcePosition, severity: Diagnostic.Severity? = nil
    ) {
        guard let contextKeys, contextKeys[key] == nil else { return }
        let suggestion = diagnostics.suggestion(for: key, among: contextKeys.keys)
        let hint = suggestion.isEmpty ? "; declare it in 'context'" : suggestion
        let message = "the context has no key \(key.quoted)\(hint)"
        diagnostics.add(severity ?? (draft.isStrict ? .error : .warning), message, at: position)
    }

    /// Reads a path such as `a.b`, `items[0].name` or `items[context.i]`: keys joined by dots, and expressions in
    /// brackets.
    private mutating func path(_ key: SourceWord) -> [AssignmentDraft.Step]? {
        guard key.text.utf8.count <= DefinitionLimits.pathBytes, var rest = Optional(key.text.unicodeScalars[...]),
            let first = Self.identifier(&rest)
        else { return reportPath(key) }
        var steps: [AssignmentDraft.Step] = [.key(first)]
        while let next = rest.popFirst() {
            guard steps.count < DefinitionLimits.nesting else { return reportPath(key) }
            switch next {
            case ".":
                guard let name = Self.identifier(&rest) else { return reportPath(key) }
                steps.append(.key(name))
            case "[":
                let offset = key.text.unicodeScalars.distance(
                    from: key.text.unicodeScalars.startIndex, to: rest.startIndex)
                guard let inner = Self.bracketed(&rest), !inner.isEmpty else { return reportPath(key) }
                steps.append(.computed(ExpressionDraft(text: inner, in: key.position, offset: offset)))
            default: return reportPath(key)
            }
        }
        writtenKeys.append(SourceWord(text: first, position: key.position))
        return steps
    }

    private mutating func reportPath(_ key: SourceWord) -> [AssignmentDraft.Step]? {
        let rule = "identifiers joined by dots, and expressions in brackets, such as items[0].name"
        diagnostics.error("\(key.text.quoted) cannot be a path into the context: \(rule)", at: key.position)
        return nil
    }

    private static func identifier(_ rest: inout String.UnicodeScalarView.SubSequence) -> String? {
        let name = String(
            rest.prefix { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_") })
        guard isIdentifier(name) else { return nil }
        rest.removeFirst(name.unicodeScalars.count)
        return name
    }

    /// Reads the text up to the bracket that closes the one just read; brackets in quotes do not count.
    private static func bracketed(_ rest: inout String.UnicodeScalarView.SubSequence) -> String? {
        var depth = 1
        var quote: Unicode.Scalar?
        var isEscaped = false
        for index in rest.indices {
            let scalar = rest[index]
            if let open = quote {
                if !isEscaped, scalar == open { quote = nil }
                isEscaped = !isEscaped && scalar == "\\"
                continue
            }
            switch scalar {
            case "'", "\"": quote = scalar
            case "[": depth += 1
            case "]": depth -= 1
            default: break
            }
            guard depth == 0 else { continue }
            let inner = String(rest[..<index])
            rest = rest[rest.index(after: index)...]
            return inner
        }
        return nil
    }

    /// Converts an integer to a double if the key's initial value is a double.
    private func typed(_ value: TemplateDraft, at path: [AssignmentDraft.Step]) -> TemplateDraft {
        guard path.count == 1, case .key(let key) = path[0], case .literal(.int(let int)) = value,
            case .double? = contextKeys?[key]
        else { return value }
        return .literal(.double(Double(int)))
    }

    /// Reports paths of one `assign` that lie inside each other, because all values are set at once.
    private mutating func reportOverlaps(_ keys: [SourceWord]) {
        let paths = Set(keys.map(\.text))
        for key in keys {
            var prefix = key.text[...]
            while let end = prefix.lastIndex(where: { $0 == "." || $0 == "[" }) {
                prefix = prefix[..<end]
                guard paths.contains(String(prefix)) else { continue }
                let message = "\(key.text.quoted) lies inside \(String(prefix).quoted), which the same 'assign' sets"
                diagnostics.error(message, at: key.position)
                break
            }
        }
    }
}
