/// Collects the mistakes of one expression.
struct IssueList {
    private let source: SourceText
    private var found: [(kind: Issue.Kind, range: Range<Int>, message: String)] = []

    /// The largest number of issues. More are not listed, because readers correct the first ones first.
    static let longest = 20

    init(of source: SourceText) {
        self.source = source
    }

    var isEmpty: Bool { found.isEmpty }
    var isFull: Bool { found.count >= Self.longest }
    /// True if a mistake leaves no program.
    var isFatal: Bool { found.contains { ![.unknownField, .unknownWord].contains($0.kind) } }

    /// Adds a mistake, unless the list is full or has the same mistake at the same place.
    mutating func add(_ kind: Issue.Kind, _ range: Range<Int>, _ message: String) {
        guard !isFull, !found.contains(where: { $0.range == range && $0.message == message }) else { return }
        found.append((kind, range, message))
    }

    /// Returns all issues in the order of the text.
    func sorted() -> [Issue] {
        found.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { issue in
            let (line, column) = source.location(of: issue.range.lowerBound)
            return Issue(kind: issue.kind, range: issue.range, line: line, column: column, message: issue.message)
        }
    }
}
