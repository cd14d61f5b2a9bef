/// The lines in which two texts differ, each group with the lines around it.
struct LineDifference {
    /// A line of one text, or of both.
    struct Line: Equatable {
        /// The line's number in the old text; `nil` for a line that was added.
        let old: Int?
        /// The line's number in the new text; `nil` for a line that was removed.
        let new: Int?
        let text: String
    }

    /// The groups, in the order of the texts.
    private(set) var groups: [[Line]] = []
    private(set) var added = 0
    private(set) var removed = 0

    /// The most lines between the first and the last difference, of both texts together. The search takes as much time
    /// and memory as the square of the lines that differ.
    static let mostLines = 2_000
    /// The number of equal lines that are shown before and after a difference.
    private static let around = 3

    /// Compares two texts; `nil` if they differ in too many lines.
    init?(from old: String, to new: String) {
        let (old, new) = (Self.lines(of: old), Self.lines(of: new))
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        let (former, later) = (old.dropFirst(start).dropLast(end), new.dropFirst(start).dropLast(end))
        guard former.count + later.count <= Self.mostLines else { return nil }
        var (gone, come) = (Set<Int>(), Set<Int>())
        for change in Array(later).difference(from: Array(former)) {
            switch change {
            case .remove(let offset, _, _): gone.insert(start + offset)
            case .insert(let offset, _, _): come.insert(start + offset)
            }
        }
        (removed, added) = (gone.count, come.count)
        group(old, new, gone, come)
    }

    /// Returns the lines of a text; the end of the last line begins no other.
    static func lines(of text: String) -> [String] {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func group(_ old: [String], _ new: [String], _ gone: Set<Int>, _ come: Set<Int>) {
        var (before, after) = (0, 0)
        var all: [Line] = []
        var changes: [Int] = []
        while before < old.count || after < new.count {
            if gone.contains(before) {
                changes.append(all.count)
                all.append(Line(old: before + 1, new: nil, text: old[before]))
                before += 1
            } else if come.contains(after) || before >= old.count {
                changes.append(all.count)
                all.append(Line(old: nil, new: after + 1, text: new[after]))
                after += 1
            } else {
                all.append(Line(old: before + 1, new: after + 1, text: old[before]))
                (before, after) = (before + 1, after + 1)
            }
        }
        var shown = 0..<0
        for change in changes {
            let next = max(0, change - Self.around)..<min(all.count, change + Self.around + 1)
            if next.lowerBound <= shown.upperBound, !shown.isEmpty {
                shown = shown.lowerBound..<next.upperBound
            } else {
                if !shown.isEmpty { groups.append(Array(all[shown])) }
                shown = next
            }
        }
        if !shown.isEmpty { groups.append(Array(all[shown])) }
    }
}
