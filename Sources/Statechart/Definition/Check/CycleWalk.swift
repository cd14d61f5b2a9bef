/// Follows references among many elements: from named guards to the guards that they name, from states to the next
/// ones.
struct CycleWalk {
    private let next: [[Int]]
    /// The cycles found: at least one for each group of elements that lead to each other, until the ways reach
    /// `longest`.
    private var found: [(index: Int, way: [Int])] = []
    private var length = 0

    /// The most elements of all ways together: hostile texts have as many long ways as they have lines.
    private static let longest = 10 * DefinitionLimits.states
    /// The number of levels below each element, including itself.
    private var depths: [Int]

    /// - Parameter next: For each element, the places of the elements that it leads to.
    init(next: [[Int]]) {
        self.next = next
        depths = next.map { _ in 1 }
        walk()
    }

    /// Returns the start of each cycle and its way, which ends where it begins.
    func cycles() -> [(index: Int, way: [Int])] { found }

    /// Returns the element with the most levels below it; `nil` if there are no elements.
    func deepest() -> (index: Int, depth: Int)? {
        depths.indices.max { depths[$0] < depths[$1] }.map { ($0, depths[$0]) }
    }

    private enum Mark {
        case new, onTheWay, done
    }

    /// Walks depth first, with a list instead of calls, because a chain may be long.
    private mutating func walk() {
        var marks = next.map { _ in Mark.new }
        // The places in the current way, for elements on the way.
        var places = next.map { _ in 0 }
        for start in next.indices where marks[start] == .new {
            var way = [(index: start, place: 0)]
            marks[start] = .onTheWay
            while let (current, place) = way.last {
                guard place < next[current].count else {
                    marks[current] = .done
                    way.removeLast()
                    if let parent = way.last?.index { depths[parent] = max(depths[parent], depths[current] + 1) }
                    continue
                }
                way[way.count - 1].place += 1
                let following = next[current][place]
                switch marks[following] {
                case .new:
                    marks[following] = .onTheWay
                    places[following] = way.count
                    way.append((following, 0))
                case .onTheWay:
                    guard length <= Self.longest else { continue }
                    found.append((following, way[places[following]...].map(\.index) + [following]))
                    length += way.count - places[following]
                case .done: depths[current] = max(depths[current], depths[following] + 1)
                }
            }
        }
    }
}
