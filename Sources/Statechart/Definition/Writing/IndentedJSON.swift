import WorkflowJSON

/// Writes a tree as readable JSON: two spaces a level, one element a line.
enum IndentedJSON {
    /// Returns the text of a tree, without a line break at its end.
    static func text(of node: DefinitionNode) -> String {
        var text = ""
        write(node, indentation: "", to: &text)
        return text
    }

    private static func write(_ node: DefinitionNode, indentation: String, to text: inout String) {
        switch node.content {
        case .null: text += "null"
        case .bool(let bool): text += bool ? "true" : "false"
        case .number(let number): text += number
        case .string(let string): text += JSONWriter.string(string)
        case .list(let elements):
            nest("[", "]", elements, indentation, &text) { element, inner, text in
                write(element, indentation: inner, to: &text)
            }
        case .map(let members):
            nest("{", "}", members, indentation, &text) { member, inner, text in
                text += JSONWriter.string(member.key) + ": "
                write(member.value, indentation: inner, to: &text)
            }
        }
    }

    private static func nest<Element>(
        _ open: String, _ close: String, _ elements: [Element], _ indentation: String, _ text: inout String,
        _ write: (Element, String, inout String) -> Void
    ) {
        guard !elements.isEmpty else {
            text += open + close
            return
        }
        let inner = indentation + "  "
        for (offset, element) in elements.enumerated() {
            text += (offset == 0 ? open : ",") + "\n" + inner
            write(element, inner, &text)
        }
        text += "\n" + indentation + close
    }
}
