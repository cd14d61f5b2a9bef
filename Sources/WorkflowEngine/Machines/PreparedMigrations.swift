import Statechart
import Synchronization
import WorkflowStore

/// A cache of plans checked against two versions of a machine. Thousands of instances follow the same plan in sequence.
final class PreparedMigrations: Sendable {
    /// The number of plans that are remembered.
    private static let bound = 16

    private struct Key: Hashable {
        let plan: MigrationPlan
        let old: MachineID
        let new: MachineID
    }

    private let known = Mutex<[Key: Migration]>([:])
    /// The plan requested last, because comparing a plan with itself costs less than hashing it.
    private let last = Mutex<(key: Key, migration: Migration)?>(nil)

    /// Returns a plan from one version to another; each plan is checked once.
    func migration(
        _ plan: MigrationPlan, from old: EarlierMachine, _ oldID: MachineID, to new: EarlierMachine,
        _ newID: MachineID
    ) throws(MigrationMistake) -> Migration {
        let key = Key(plan: plan, old: oldID, new: newID)
        // The version may have been compiled again since.
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
