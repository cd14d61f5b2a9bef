import Synchronization
import WorkflowStore

/// The sheets of the last queries, and the turns to continue them.
final class StatisticsBook: Sendable {
    /// A sheet, which the task that has the turn continues.
    final class Entry: Sendable {
        let sheet: Mutex<StatisticsSheet>

        init(_ sheet: StatisticsSheet) {
            self.sheet = Mutex(sheet)
        }
    }

    struct Key: Hashable {
        let namespace: NamespaceID
        let query: StatisticsQuery
    }

    /// The turns: one query is continued at a time, so that few reads are in the way of others.
    let turns = Turns()
    private let bound: Int
    /// The sheets, the last used first.
    private let entries = Mutex<[(key: Key, entry: Entry)]>([])

    /// - Parameter bound: The number of sheets that are kept.
    init(bound: Int) {
        self.bound = bound
    }

    /// Returns the sheet of a query; `nil` if it is not kept.
    func entry(for key: Key) -> Entry? {
        entries.withLock { entries in
            guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
            let found = entries.remove(at: place)
            entries.insert(found, at: 0)
            return found.entry
        }
    }

    /// Keeps a new sheet instead of the one that was not used for longest.
    func insert(_ sheet: StatisticsSheet, for key: Key) -> Entry {
        let entry = Entry(sheet)
        entries.withLock { entries in
            entries.insert((key, entry), at: 0)
            entries.removeLast(max(0, entries.count - bound))
        }
        return entry
    }
}
