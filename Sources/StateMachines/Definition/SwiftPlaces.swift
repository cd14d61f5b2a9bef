internal import Statechart

/// The places in Swift of the lines of a definition's text.
struct SwiftPlaces: Sendable {
    /// The place of each line, in order.
    let lines: [SwiftPlace?]

    /// Returns a message of the step with places in Swift: `on line 7` and `, line 7,` name lines of the text.
    func placed(_ message: String) -> String {
        var words = message.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        for index in words.indices.dropFirst(2).reversed() where words[index - 1] == "line" {
            let number = words[index].prefix { $0.isNumber }
            guard let line = Int(number), lines.indices.contains(line - 1), let place = lines[line - 1] else {
                continue
            }
            words[index] = "\(place)\(words[index].dropFirst(number.count))"
            words.remove(at: index - 1)
            if words[index - 2] == "on" { words[index - 2] = "at" }
        }
        return words.joined(separator: " ")
    }
}

extension DefinitionNode {
    /// Adds the places of the lines that the node's JSON takes after its first line: one for each element, and one for
    /// the closing bracket.
    func addPlaces(to lines: inout [DefinitionPlace?]) {
        switch content {
        case .list(let elements) where !elements.isEmpty:
            for element in elements {
                lines.append(element.place)
                element.addPlaces(to: &lines)
            }
            lines.append(place)
        case .map(let members) where !members.isEmpty:
            for member in members {
                lines.append(member.place ?? member.value.place)
                member.value.addPlaces(to: &lines)
            }
            lines.append(place)
        default: break
        }
    }
}
