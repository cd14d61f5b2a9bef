import Foundation
import WorkflowStore

/// The place of a journal row as callers see it, opaque: generation, partition, and position within it.
struct RowCursor: Equatable {
    let generation: Int64
    let position: Position

    /// Base64 of digits and dots: it has no letter that a URL would change.
    var text: String {
        Data("\(generation).\(position.partition.rawValue).\(position.number)".utf8).base64EncodedString().replacing(
            "=", with: "")
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
        guard numbers.count == 3, let generation = numbers[0], let partition = numbers[1], let number = numbers[2],
            let position = Position(PartitionID(rawValue: partition), number: number)
        else { return nil }
        self.init(generation: generation, position: position)
    }
}
