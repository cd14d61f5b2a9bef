import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    /// The checks of backups, for stores that make them.
    static let backups = [
        Check(name: "a backup has what was committed before its copying ended", needs: [.backups]) {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            let making = try #require(store.backups)
            let copying = try writer.copying
            var random = SystemRandomNumberGenerator()
            let name = BackupName(random: &random)
            try copying.beginBackup(name)
            scribe.send("alpha")
            try scribe.commit(writer)
            while try !copying.stepBackup(for: .milliseconds(2)).isDone {}
            scribe.send("beta")
            try scribe.commit(writer)
            var verified: InstanceRecord?
            let backup = try await making.completeBackup(
                name, verify: { verified = try await $0.instance(named: "alpha") }, mayGoOn: { _, _ in true })
            #expect(verified == scribe.instances["alpha"])
            #expect(backup.name == name && backup.contents.instances == 2 && backup.contents.events == 3)
            let reader = try making.openBackup(name)
            var bytes: [UInt8] = []
            while case let more = try reader.read(atMost: 1 << 16), !more.isEmpty { bytes += more }
            #expect(Int64(bytes.count) == backup.bytes && Digest(of: bytes) == backup.digest)
            making.removeBackup(name)
            #expect(throws: StoreError.self) { _ = try making.openBackup(name) }
        },
        Check(name: "a backup that is given up or refused by its check is not there", needs: [.backups]) {
            (store, writer) async throws in
            _ = try scribe(writer, instances: ["alpha"])
            let making = try #require(store.backups)
            let copying = try writer.copying
            var random = SystemRandomNumberGenerator()
            let names = [BackupName(random: &random), BackupName(random: &random)]
            try copying.beginBackup(names[0])
            copying.abandonBackup()
            try copying.beginBackup(names[1])
            while try !copying.stepBackup(for: .milliseconds(2)).isDone {}
            await #expect {
                _ = try await making.completeBackup(
                    names[1], verify: { _ in throw StoreError(.damaged, "as told") }, mayGoOn: { _, _ in true })
            } throws: { code($0) == .damaged }
            for name in names { #expect(throws: StoreError.self) { _ = try making.openBackup(name) } }
            try Self.carriesOn(writer)
        },
    ]

    /// The checks of an audit of the whole store, for stores that support it.
    static let audit = [
        Check(name: "going through the store passes every record once", needs: [.audit]) {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            for _ in 0..<300 { for name in ["alpha", "beta"] { scribe.send(name) } }
            try scribe.commit(writer)
            let audit = try #require(store.audit)
            let numbers = try await audit.inspectStore().numbers
            #expect(numbers == store.partitions.map(writer.numbers))
            var machines: [MachineRecord] = []
            var machine: MachineID? = MachineID(rawValue: 0)
            while let after = machine {
                let slice = try await audit.inspectMachines(after: after)
                machines += slice.machines
                machine = slice.next
            }
            #expect(machines == scribe.machines)
            for partition in store.partitions {
                let ids = partition.rawValues
                let instances = try await instances(audit, in: ids)
                let known = scribe.instances.values.filter { $0.id.partition == partition }
                #expect(instances == known.sorted { $0.id < $1.id })
                let rows = try await rows(audit, in: ids)
                let written = scribe.history.values.joined().filter { $0.position.partition == partition }
                #expect(rows == written.sorted { $0.position < $1.position })
            }
        }
    ]

    private static func instances(
        _ audit: any StoreAudit, in ids: ClosedRange<Int64>
    ) async throws -> [InstanceRecord] {
        var found: [InstanceRecord] = []
        var next = ids.lowerBound
        while next <= ids.upperBound {
            let slice = try await audit.inspectInstances(in: next...ids.upperBound)
            #expect(slice.instances.allSatisfy { $0.inconsistency == nil })
            found += slice.instances.map(\.record)
            try #require(slice.through >= next)
            next = slice.through + 1
        }
        return found
    }

    private static func rows(_ audit: any StoreAudit, in numbers: ClosedRange<Int64>) async throws -> [JournalRecord] {
        var found: [JournalRecord] = []
        var next = numbers.lowerBound
        while next <= numbers.upperBound {
            let slice = try await audit.inspectJournal(next...numbers.upperBound, of: numbers)
            #expect(slice.unreadable.isEmpty && slice.inconsistencies.isEmpty)
            found += slice.rows
            try #require(slice.through >= next)
            next = slice.through + 1
        }
        return found
    }
}
