import Foundation
import WorkflowStore

/// A place in the journal as callers see it, opaque: generation, partition, and position within it. Most are those of
/// rows.
struct RowCursor: Equatable {
    let generation: Int64
    let position: Position

    /// Base64 of digits and dots: it has no letter that a URL would change.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The text's bytes, without padding.
    var bytes: [UInt8] {
        let words = Array("\(generation).\(position.partition.rawValue).\(position.number)".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(words.count / 3 * 4 + 4)
        for start in stride(from: 0, to: words.count, by: 3) {
            let group = words[start..<min(start + 3, words.count)]
            var bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for _ in 0...group.count {
                text.append(Self.alphabet[bits >> 18])
                bits = bits << 6 & 0xFF_FFFF
            }
        }
        return text
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

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
        guard numbers.count == 3, let generation = numbers[0], let partition = numbers[1], let number = numbers[2]
        else { return nil }
        let id = PartitionID(rawValue: partition)
        // Of a journal that had no row.
        let beginning = number == 0 && PartitionID.range.contains(partition) ? Position.beginning(of: id) : nil
        guard let position = beginning ?? Position(id, number: number) else { return nil }
        self.init(generation: generation, position: position)
    }
}
