/// Finds the probable intended word of a misspelled one.
package enum Spelling {
    /// Returns the candidate with the fewest typing mistakes, or `nil` if all have too many. Among equals, returns the
    /// first that begins with the word, else the first.
    ///
    /// Mistakes are missing, additional and wrong characters, and swapped neighbours (optimal string alignment of the
    /// UTF-8 bytes). Case is ignored. A third of the longer word may be wrong, at least one character. Costs at most
    /// O(candidates × word²); words over 100 bytes are ignored.
    package static func closest(to word: String, among candidates: some Sequence<String>) -> String? {
        let wanted = word.utf8.map(lowercased)
        guard !wanted.isEmpty, wanted.count <= longestWord else { return nil }
        var alignment = Alignment(of: wanted)
        var best: String?
        var bestCost = Int.max
        var isBeginning = false
        for candidate in candidates {
            let length = max(wanted.count, candidate.utf8.count)
            let beginsSo = candidate.utf8.lazy.map(lowercased).starts(with: wanted)
            let bound = beginsSo && !isBeginning ? bestCost : bestCost - 1
            // A single common character is not a match.
            let limit = min(max(1, length / 3), length - 1, bound)
            guard abs(wanted.count - candidate.utf8.count) <= limit else { continue }
            guard let cost = alignment.cost(of: candidate.utf8.map(lowercased), atMost: limit) else { continue }
            best = candidate
            bestCost = cost
            isBeginning = beginsSo
        }
        return best
    }

    private static let longestWord = 100

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// Counts the mistakes between one word and others; reuses its rows from one word to the next.
private struct Alignment {
    private let word: [UInt8]
    private var beforeLast: [Int] = []
    private var last: [Int] = []
    private var current: [Int] = []

    init(of word: [UInt8]) {
        self.word = word
    }

    /// Returns the cost of turning the word into the other one, or `nil` if the cost exceeds the limit.
    mutating func cost(of other: [UInt8], atMost limit: Int) -> Int? {
        last.removeAll(keepingCapacity: true)
        for column in 0...other.count { last.append(column) }
        for row in 1...word.count {
            fillRow(row, other)
            // Costs only grow from row to row, and a swap reaches back no further than the last row.
            guard min(current.min() ?? 0, last.min() ?? 0) <= limit else { return nil }
            swap(&beforeLast, &last)
            swap(&last, &current)
        }
        return last[other.count] <= limit ? last[other.count] : nil
    }

    private mutating func fillRow(_ row: Int, _ other: [UInt8]) {
        current.removeAll(keepingCapacity: true)
        current.append(row)
        for column in 0..<other.count {
            let replaced = last[column] + (word[row - 1] == other[column] ? 0 : 1)
            var cost = min(replaced, last[column + 1] + 1, current[column] + 1)
            if row > 1, column > 0, word[row - 1] == other[column - 1], word[row - 2] == other[column] {
                cost = min(cost, beforeLast[column - 1] + 1)
            }
            current.append(cost)
        }
    }
}

/// Finds the probable intended option.
package enum OptionSuggestion {
    /// Returns the message of a command-line parser. In the message about an unknown option, replaces the parser's
    /// guess by the nearest option in the help text. The parser takes the value of an unknown option for an argument,
    /// and may report a mistake that follows from this; then the message is about the option.
    package static func improved(_ message: String, of arguments: [String], help: String) -> String {
        let beginning = "Unknown option '"
        let options = help.split { !$0.isLowercase && $0 != "-" }.filter { $0.hasPrefix("--") }.map(String.init)
        let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
        let unknown = given.first { !options.contains(String($0)) }.map(String.init)
        let option =
            message.hasPrefix(beginning)
            ? String(message.dropFirst(beginning.count).prefix { $0 != "'" }) : unknown
        guard let option else { return message }
        let suggestion = Spelling.closest(to: option, among: options).map { ". Did you mean '\($0)'?" } ?? ""
        return beginning + option + "'" + suggestion + message.drop { $0 != "\n" }
    }
}
