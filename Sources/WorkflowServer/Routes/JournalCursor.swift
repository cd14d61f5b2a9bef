import Foundation
import WorkflowStore

/// A place in the history of all instances in the opaque form that callers see: the generation, and of each partition
/// its number and the position within it. In a store with one partition it is the text of a row's cursor.
struct JournalCursor: Equatable {
    let generation: Int64
    let place: JournalPlace

    /// The cursor's text: base64 of digits and dots, without padding.
    var text: String {
        if let position = place.only { return RowCursor(generation: generation, position: position).text }
        let words = place.positions.map { ".\($0.partition.rawValue).\($0.number)" }
        let padded = Data("\(generation)\(words.joined())".utf8).base64EncodedString()
        return String(padded.prefix { $0 != "=" })
    }

    init(generation: Int64, place: JournalPlace) {
        self.generation = generation
        self.place = place
    }

    /// Parses a cursor that `text` made, or the cursor of a row; `nil` for any other text.
    init?(text: String) {
        guard text.utf8.count <= Self.mostBytes else { return nil }
        let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded), let words = String(data: data, encoding: .utf8) else {
            return nil
        }
        var numbers: [Int64] = []
        for word in words.split(separator: ".", omittingEmptySubsequences: false) {
            guard let number = Int64(word) else { return nil }
            numbers.append(number)
        }
        guard let generation = numbers.first, numbers.count >= 3, numbers.count % 2 == 1 else { return nil }
        var positions: [Position] = []
        for place in stride(from: 1, to: numbers.count, by: 2) {
            let partition = PartitionID(rawValue: numbers[place])
            // Number 0 is the cursor of a journal that had no row.
            let isBeginning = numbers[place + 1] == 0 && PartitionID.range.contains(partition.rawValue)
            let beginning = isBeginning ? Position.beginning(of: partition) : nil
            guard let position = beginning ?? Position(partition, number: numbers[place + 1]) else { return nil }
            positions.append(position)
        }
        self.init(generation: generation, place: JournalPlace(positions))
    }

    /// The bytes of a cursor of the largest store, in base64.
    private static let mostBytes = (20 + PartitionID.range.count * 22) / 3 * 4
}
