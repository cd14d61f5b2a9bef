import WorkflowCEL
import WorkflowJSON

/// The types of values to be set in the context, as far as they are known in advance.
extension ExpressionCompiler {
    /// Compiles the value of an `assign`. Returns the template and the type to check at run time: the type of the
    /// path's first key. The type is `dyn` if every value that the template can produce fits. Reports a value that
    /// never fits.
    mutating func value(
        of draft: AssignmentDraft, at path: [Assignment.Step], event: String?
    ) -> (template: Template, type: CELType)? {
        guard let template = template(draft.value, event: event), case .key(let key)? = path.first else { return nil }
        let root = contextType(of: key)
        guard root != .dyn, let end = type(below: root, at: path, draft.key) else { return (template, root) }
        do throws(JSONMismatch) {
            if case .literal(let value) = template {
                return (.literal(try end.converted(value, at: draft.key.text, in: language)), end == .dyn ? root : .dyn)
            }
            try end.check(template.type, at: draft.key.text)
        } catch {
            report("the value does not fit: \(error.message)", at: draft.value.position ?? draft.key.position)
            return nil
        }
        // If the type at the end is unknown, the path may still contain a field that does not exist.
        return (template, end != .dyn && template.type.isExactly(end) ? .dyn : root)
    }

    /// Compiles the data of an event that an action raises, sends or emits. Reports data that never fit the event's
    /// declared type.
    mutating func data(
        _ draft: TemplateDraft?, of name: String, at position: SourcePosition, event: String?
    ) -> Template? {
        let template = draft.flatMap { self.template($0, event: event) }
        guard let type = dataType(of: name), (template == nil) == (draft == nil) else { return template }
        do throws(JSONMismatch) {
            switch template ?? .literal(.null) {
            case .literal(let value): _ = try type.converted(value, at: "data", in: language)
            case let template: try type.check(template.type, at: "data")
            }
        } catch {
            report("the data of \(name.quoted) does not fit: \(error.message)", at: draft?.position ?? position)
        }
        return template
    }

    /// Reports a `foreach` that can never run: its array is not a list, or its keys have other types.
    mutating func check(_ loop: LoopDraft, _ array: Expression) {
        let element: CELType
        switch array.program.type {
        case .dyn: element = .dyn
        case .list(let type): element = type
        case let type:
            report("'foreach' goes over a list, this gives \(type.description)", at: loop.array.start)
            return
        }
        for (key, given) in [(loop.item, element), (loop.index ?? "", .int)] {
            do throws(JSONMismatch) {
                try contextType(of: key).check(given, at: key)
            } catch {
                report("'foreach' cannot set its key: \(error.message)", at: loop.position)
            }
        }
    }

    /// Returns the type at the end of a path; `nil`, with a mistake, if the path leads nowhere. From a field that only
    /// the running expression knows, the type is `dyn`.
    private mutating func type(below root: CELType, at path: [Assignment.Step], _ word: SourceWord) -> CELType? {
        var type = root
        var parent = ""
        for (offset, step) in path.enumerated() {
            defer { parent += step.text(isFirst: offset == 0) }
            guard offset > 0, type != .dyn else { continue }
            if let mistake = step.mistake(below: type, parent) {
                report(mistake, at: word.position)
                return nil
            }
            do throws(JSONMismatch) {
                type = try step.type(below: type, at: parent)
            } catch {
                report(error.message, at: word.position)
                return nil
            }
        }
        return type
    }
}

extension Assignment.Step {
    /// Returns the step as written after its parent.
    fileprivate func text(isFirst: Bool) -> String {
        switch self {
        case .key(let key): isFirst ? key : ".\(key)"
        case .computed(let expression): "[\(expression.source)]"
        }
    }

    /// Returns the reason why no value of a type has this step. The message equals the one at run time.
    fileprivate func mistake(below type: CELType, _ parent: String) -> String? {
        let given: CELType =
            switch self {
            case .key: .string
            case .computed(let expression): expression.program.type
            }
        guard [.dyn, .string, .int].contains(given) else {
            return "the key of a map is a string, the index of a list an int, not \(given.description)"
        }
        let wanted =
            switch given {
            case .string: "a map"
            case .int: "a list"
            default: "a map or a list"
            }
        let isFitting =
            switch type.content {
            case .dyn: true
            case .map, .object: given != .int
            case .list: given != .string
            default: false
            }
        return isFitting ? nil : "'\(parent)' is \(type.content.phrase), not \(wanted)"
    }

    /// Returns the type of the value at this step, below a value of a type that has the step. Returns `dyn` if only the
    /// running expression knows the field.
    fileprivate func type(below type: CELType, at parent: String) throws(JSONMismatch) -> CELType {
        switch (self, type.content) {
        case (.key(let key), let type): try type.below(key, at: parent)
        case (.computed, .list(let element)): element
        case (.computed, .map(_, let value)): value
        default: .dyn
        }
    }
}

extension CELType {
    /// The type without null.
    fileprivate var content: CELType {
        if case .optional(let type) = self { type } else { self }
    }
}

extension Template {
    /// The known type of the template's value.
    fileprivate var type: CELType {
        switch self {
        case .literal(let value): CELType(of: value)
        case .expression(let expression): expression.program.type
        case .list(let templates): .list(.joined(templates.map(\.type)))
        case .map(let members):
            .object(
                ObjectType(
                    name: "the map",
                    fields: Dictionary(members.map { ($0.key, $0.value.type) }) { first, _ in first }))
        }
    }
}

extension TemplateDraft {
    /// The start of the expression, if the template is a single expression; otherwise `nil`.
    fileprivate var position: SourcePosition? {
        if case .expression(let draft) = self { draft.start } else { nil }
    }
}
