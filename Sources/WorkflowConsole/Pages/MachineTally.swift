import WorkflowAPI
import WorkflowClient

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
        var page: String?
        for _ in 0..<Self.pages where !isWhole {
            let tally = try await client.tally(
                TallyParameters(machines: [machine], limit: APILimits.largestPageItems, page: page))
            for item in tally.items {
                versions[item.version, default: Count()].add(item)
                guard version == nil || version == item.version else { continue }
                for path in Set(item.configuration.flatMap(lineage)) { states[path, default: Count()].add(item) }
            }
            page = tally.nextPage
            isWhole = page == nil
        }
    }
}
