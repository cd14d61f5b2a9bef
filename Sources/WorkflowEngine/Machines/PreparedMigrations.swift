import Statechart
import Synchronization
import WorkflowStore

/// Plans that were checked against two versions of a machine: thousands of instances follow the same one after another.
final class PreparedMigrations: Sendable {
    /// Plans that are remembered.
    private static let bound = 16

    private struct Key: Hashable {
        let plan: MigrationPlan
        let old: MachineID
        let new: MachineID
    }

    private let known = Mutex<[Key: Migration]>([:])
    /// The one that was asked for last: to compare a plan with itself costs less than to hash it.
    private let last = Mutex<(key: Key, migration: Migration)?>(nil)

    /// A plan from one version to another, checked once.
    func migration(
        _ plan: MigrationPlan, from old: EarlierMachine, _ oldID: MachineID, to new: EarlierMachine,
        _ newID: MachineID
    ) throws(MigrationMistake) -> Migration {
        let key = Key(plan: plan, old: oldID, new: newID)
        // A version may have been compiled again since.
        func isMeant(_ migration: Migration) -> Bool { migration.old === old.machine && migration.new === new.machine }
        if let last = last.withLock({ $0 }), isMeant(last.migration), last.key == key { return last.migration }
        if let migration = known.withLock({ $0[key] }), isMeant(migration) {
            last.withLock { $0 = (key, migration) }
            return migration
        }
        let migration = try Migration(
            plan, from: old.machine, version: old.version, to: new.machine, version: new.version)
        known.withLock { known in
            if known.count >= Self.bound { known = [:] }
            known[key] = migration
        }
        return migration
    }
}
