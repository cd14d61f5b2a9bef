/// Follows which named guard names which.
struct GuardWalk {
    private let next: [[Int]]
    /// One for each group of guards that lead to each other.
    private var found: [(index: Int, way: [Int])] = []
    /// How many levels lie below each guard, itself included.
    private var depths: [Int]

    /// - Parameter next: For each guard the guards that it names.
    init(next: [[Int]]) {
        self.next = next
        depths = next.map { _ in 1 }
        walk()
    }

    /// The guard that each cycle was found from, and the way round, which ends where it begins.
    func cycles() -> [(index: Int, way: [Int])] { found }

    /// The guard with the most levels below it; nil when there are no guards.
    func deepest() -> (index: Int, depth: Int)? {
        depths.indices.max { depths[$0] < depths[$1] }.map { ($0, depths[$0]) }
    }

    private enum Mark {
        case new, onTheWay, done
    }

    /// Depth first, with a list rather than calls, because a chain may be long.
    private mutating func walk() {
        var marks = next.map { _ in Mark.new }
        for start in next.indices where marks[start] == .new {
            var way = [(guard: start, place: 0)]
            marks[start] = .onTheWay
            while let (current, place) = way.last {
                guard place < next[current].count else {
                    marks[current] = .done
                    way.removeLast()
                    if let parent = way.last?.guard { depths[parent] = max(depths[parent], depths[current] + 1) }
                    continue
                }
                way[way.count - 1].place += 1
                let following = next[current][place]
                switch marks[following] {
                case .new:
                    marks[following] = .onTheWay
                    way.append((following, 0))
                case .onTheWay:
                    let first = way.firstIndex { $0.guard == following } ?? 0
                    found.append((following, way[first...].map(\.guard) + [following]))
                case .done: depths[current] = max(depths[current], depths[following] + 1)
                }
            }
        }
    }
}
