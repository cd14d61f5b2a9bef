import GRDB
import HeapModule
import Statechart
import WorkflowStore

/// The first instances so far of a page in a requested order, one more than the page shows.
struct RankedInstances: Sendable {
    private var first = Heap<InstanceRank>()
    private let limit: Int
    /// The last instance of the previous page; `nil` for the first page.
    private let after: InstanceRank?
    /// The last of the first ones, if there are enough of them.
    private var last: InstanceRank?

    init(_ query: InstanceQuery) {
        limit = query.limit
        after = if case .ranked(let rank)? = query.after { rank } else { nil }
    }

    /// The ranks between which an instance is among the first ones after the previous page; `nil` without a bound.
    var bounds: (lower: InstanceRank?, upper: InstanceRank?) { (after, last) }

    /// Returns true if an instance would be among the first ones after the previous page.
    func admits(_ rank: InstanceRank) -> Bool {
        if let after, rank <= after { return false }
        return last.map { rank < $0 } ?? true
    }

    /// Keeps an instance if it is among the first ones after the previous page.
    mutating func add(_ rank: InstanceRank) {
        guard admits(rank) else { return }
        if last == nil { first.insert(rank) } else { first.replaceMax(with: rank) }
        if first.count > limit { last = first.max }
    }

    /// Returns the page.
    ///
    /// - Parameter bytes: The approximate bytes of state after which the page ends.
    func page(_ database: Database, bytes: Int) throws -> InstancePage {
        var page = InstancePage(instances: [], next: nil)
        var bytesLeft = bytes
        // An instance that moved during the walk may have been found twice.
        var seen: Set<InstanceID> = []
        let ranks = first.unordered.sorted().filter { seen.insert($0.id).inserted }
        var last: InstanceRank?
        for rank in ranks.prefix(limit) {
            if let last, bytesLeft <= 0 {
                page.next = .ranked(last)
                return page
            }
            last = rank
            // An instance that has moved since is shown in its present state, at the rank where it was found. A deleted
            // one is left out.
            guard let instance = try InstanceRecord.first(database, "WHERE id = ?", rank.id) else { continue }
            page.instances.append(instance)
            bytesLeft -= instance.listedBytes
        }
        if ranks.count > limit { page.next = .ranked(ranks[limit - 1]) }
        return page
    }
}

extension InstanceRecord {
    /// The approximate bytes of state that the instance adds to a page.
    var listedBytes: Int { state.context.utf8.count + state.armed.utf8.count }
}
