import Foundation
import WorkflowStore

/// The place of a journal row as callers see it, opaque: generation, partition (there is one, 0) and position.
struct RowCursor: Equatable {
    let generation: Int64
    let position: Position

    /// Base64 of digits and dots: it has no letter that a URL would change.
    var text: String {
        Data("\(generation).0.\(position.rawValue)".utf8).base64EncodedString().replacing("=", with: "")
    }

    init(generation: Int64, position: Position) {
        self.generation = generation
        self.position = position
    }

    /// Reads a cursor that `text` made; nil for anything else.
    init?(text: String) {
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), let words = String(data: data, encoding: .utf8) else {
            return nil
        }
        let numbers = words.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count == 3, let generation = numbers[0], numbers[1] == 0, let position = numbers[2],
            position > 0, position < .max
        else { return nil }
        self.init(generation: generation, position: Position(rawValue: position))
    }
}
