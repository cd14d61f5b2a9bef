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

    /// A plan from one version to another, checked once.
    func migration(
        _ plan: MigrationPlan, from old: EarlierMachine, _ oldID: MachineID, to new: EarlierMachine,
        _ newID: MachineID
    ) throws(MigrationMistake) -> Migration {
        let key = Key(plan: plan, old: oldID, new: newID)
        // A version may have been compiled again since.
        if let migration = known.withLock({ $0[key] }), migration.old === old.machine, migration.new === new.machine {
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
