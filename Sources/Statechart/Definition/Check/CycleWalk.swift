/// Follows which of many leads to which: named guards to those that they name, states to those that follow them.
struct CycleWalk {
    private let next: [[Int]]
    /// At least one for each group of those that lead to each other, until the ways have `longest` places together.
    private var found: [(index: Int, way: [Int])] = []
    private var length = 0

    /// Places of all ways together: hostile texts have as many long ways as they have lines.
    private static let longest = 10 * DefinitionLimits.states
    /// How many levels lie below each, itself included.
    private var depths: [Int]

    /// - Parameter next: For each those that it leads to, by their places.
    init(next: [[Int]]) {
        self.next = next
        depths = next.map { _ in 1 }
        walk()
    }

    /// Where each cycle was found, and the way round, which ends where it begins.
    func cycles() -> [(index: Int, way: [Int])] { found }

    /// The one with the most levels below it; nil when there is none.
    func deepest() -> (index: Int, depth: Int)? {
        depths.indices.max { depths[$0] < depths[$1] }.map { ($0, depths[$0]) }
    }

    private enum Mark {
        case new, onTheWay, done
    }

    /// Depth first, with a list rather than calls, because a chain may be long.
    private mutating func walk() {
        var marks = next.map { _ in Mark.new }
        // Of those that are on the way.
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
