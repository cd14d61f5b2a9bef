import WorkflowAPI
import WorkflowCalls

/// The numbers of a machine's instances by state and by version.
struct MachineTally {
    /// The instances in a state and below it, or of a version.
    struct Count {
        var all: Int64 = 0
        var failed: Int64 = 0

        fileprivate mutating func add(_ item: TallyItem) {
            all &+= item.count
            if item.status == .failed { failed &+= item.count }
        }
    }

    /// The numbers by the path of the state.
    private(set) var states: [String: Count] = [:]
    private(set) var versions: [Int64: Count] = [:]
    /// False if there are more rows of the tally than are added up.
    private(set) var isWhole = false

    /// The most pages of the tally that are added up.
    private static let pages = 20

    /// - Parameters:
    ///   - version: The version whose instances are counted by state; `nil` for all.
    ///   - lineage: Returns the path of a state and those around it.
    init(
        of machine: String, version: Int64?, _ lineage: (String) -> [String], _ client: WorkflowClient
    ) async throws {
        var counts = StateCounts()
        var page: String?
        for _ in 0..<Self.pages where !isWhole {
            let tally = try await client.tally(
                TallyParameters(machines: [machine], limit: APILimits.largestPageItems, page: page))
            for item in tally.items {
                versions[item.version, default: Count()].add(item)
                if version == nil || version == item.version { counts.add(item, lineage) }
            }
            page = tally.nextPage
            isWhole = page == nil
        }
        states = counts.byPath
    }

    /// The numbers of states. Rows share their states, so each path is split once.
    private struct StateCounts {
        private var paths: [String] = []
        private var counts: [Count] = []
        /// The last row that was added to a state: regions share the states around them.
        private var rows: [Int] = []
        private var places: [String: Int] = [:]
        private var lineages: [String: [Int]] = [:]
        private var row = 0

        var byPath: [String: Count] { Dictionary(uniqueKeysWithValues: zip(paths, counts)) }

        mutating func add(_ item: TallyItem, _ lineage: (String) -> [String]) {
            row += 1
            for leaf in item.configuration {
                for place in places(of: leaf, lineage) where rows[place] != row {
                    rows[place] = row
                    counts[place].add(item)
                }
            }
        }

        private mutating func places(of leaf: String, _ lineage: (String) -> [String]) -> [Int] {
            if let known = lineages[leaf] { return known }
            let found = lineage(leaf).map { place(of: $0) }
            lineages[leaf] = found
            return found
        }

        private mutating func place(of path: String) -> Int {
            if let place = places[path] { return place }
            places[path] = paths.count
            paths.append(path)
            counts.append(Count())
            rows.append(0)
            return paths.count - 1
        }
    }
}
