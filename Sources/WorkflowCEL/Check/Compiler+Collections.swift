extension Compiler {
    mutating func list(_ elements: [Syntax.Element]) -> Part {
        var made: [ListNode.Element] = []
        var types: [CELType] = []
        for element in elements {
            let inner = part(element.value)
            types.append(element.isOptional ? content(of: inner.type, element.value.range) : inner.type)
            made.append(ListNode.Element(node: inner.node, isOptional: element.isOptional, range: element.value.range))
        }
        return Part(node: ListNode(elements: made), type: .list(.joined(types)))
    }

    mutating func map(_ entries: [Syntax.Entry]) -> Part {
        var made: [MapNode.Entry] = []
        var keys: [CELType] = []
        var values: [CELType] = []
        for entry in entries {
            let key = part(entry.key)
            let value = part(entry.value)
            if let type = key.type.typeName, ![.bool, .int, .uint, .string].contains(type) {
                report(
                    .noOverload, entry.key.range, "a key is a bool, int, uint or string, not \(type.withArticle)")
            }
            keys.append(key.type)
            values.append(entry.isOptional ? content(of: value.type, entry.value.range) : value.type)
            made.append(
                MapNode.Entry(
                    key: key.node, value: value.node, isOptional: entry.isOptional, keyRange: entry.key.range,
                    valueRange: entry.value.range))
        }
        return Part(node: MapNode(entries: made), type: .map(key: .joined(keys), value: .joined(values)))
    }

    /// Returns the content type of an optional, and reports a value of any other type.
    private mutating func content(of type: CELType, _ range: Range<Int>) -> CELType {
        switch type {
        case .optional(let content): return content
        case .dyn: return .dyn
        default:
            let found = type.typeName?.withArticle ?? "dyn"
            report(.noOverload, range, "'?' wants an optional, as a.?b gives it, not \(found)")
            return .dyn
        }
    }

    mutating func index(_ syntax: Syntax, _ operand: Syntax, _ index: Syntax, _ isOptional: Bool) -> Part {
        if let chain = Chain(syntax) { return self.chain(chain, syntax, reads: nil) }
        var key: Syntax.Field?
        if case .literal(.string(let name)) = index.kind { key = Syntax.Field(name: name, range: index.range) }
        let owner = key == nil ? part(operand) : chain(Chain(operand), operand, reads: key)
        let indexPart = part(index)
        let type = elementType(owner.type, indexPart.type, key, operand, index, syntax.range)
        let node = IndexNode(
            operand: owner.node, index: indexPart.node, isOptional: isOptional, range: syntax.range,
            owner: source.excerpt(of: operand.range), indexText: source.excerpt(of: index.range))
        return Part(node: node, type: isOptional ? type.asOptional : type)
    }

    private mutating func elementType(
        _ type: CELType, _ index: CELType, _ key: Syntax.Field?, _ operand: Syntax, _ written: Syntax,
        _ range: Range<Int>
    ) -> CELType {
        switch type {
        case .dyn: return .dyn
        case .list(let element) where index == .dyn || index.isNumber: return element
        case .map(let keyType, let value) where OperatorTypes.result(.equal, keyType, index) != nil: return value
        case .object where index == .dyn: return .dyn
        case .object:
            if let key { return fieldType(key, of: type, operand.range) }
        case .optional(let content):
            return elementType(content, index, key, operand, written, range).asOptional
        default: break
        }
        let owner = source.excerpt(of: operand.range)
        let advice =
            switch type {
            case .string: "write \(owner).charAt(\(source.excerpt(of: written.range)))"
            case .list: "the index of a list is a whole number"
            case .map(let key, _): "the keys of \(owner) are \(key)"
            case .object: "the keys of \(owner) are strings"
            default: "only lists and maps have elements"
            }
        report(.noOverload, range, "no such overload: \(type.word)[\(index.word)]; \(advice)")
        return .dyn
    }
}
