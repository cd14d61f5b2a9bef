import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let settings = [
        Check(name: "what is set for machines comes back in pages of every size, and standard settings go") {
            (store, writer) async throws in
            var all = [
                setting("Zip", active: 1),
                setting("order", suspension: .init(at: Timestamp(rawValue: 0), by: nil, reason: nil)),
                setting(
                    "order-2", active: 7,
                    suspension: .init(at: Timestamp(rawValue: 5), by: "ops", reason: "the till is broken"),
                    retention: 90),
                setting("pay", retention: 1),
            ]
            #expect(try writer.machineSettings(after: nil, limit: 5) == [])
            #expect(try await store.machineSetting(of: all[0].key) == nil)
            try write(all.reversed(), writer)
            let view = writer.view
            for limit in 1...5 {
                for lookup in [writer, view] as [any StoreLookup] {
                    var found: [MachineSetting] = []
                    while true {
                        let page = try lookup.machineSettings(after: found.last?.key, limit: limit)
                        found += page
                        if page.count < limit { break }
                    }
                    #expect(found == all, "limit \(limit)")
                }
                var read: [MachineSetting] = []
                while true {
                    let page = try await store.machineSettings(
                        in: .default, after: read.last?.key.name, limit: limit)
                    read += page
                    if page.count < limit { break }
                }
                #expect(read == all, "limit \(limit)")
            }
            view.release()
            #expect(try await store.machineSettings(in: NamespaceID(rawValue: 2), after: nil, limit: 9) == [])
            all[1].suspension = nil
            all[1].active = 3
            try write([all[1], setting("Zip"), setting("none")], writer)
            #expect(try writer.machineSettings(after: nil, limit: 9) == Array(all.dropFirst()))
            #expect(try await store.machineSetting(of: all[1].key) == all[1])
            #expect(try await store.machineSetting(of: all[0].key) == nil)
        },
        Check(name: "settings of machines that cannot be break a constraint") { (store, writer) async throws in
            let foreign = MachineKey("order", in: NamespaceID(rawValue: 9))
            let wrongs = [
                setting("", active: 1), setting("order", active: 0), setting("order", retention: 0),
                MachineSetting(of: foreign, active: 1),
            ]
            for wrong in wrongs { #expect { try write([wrong], writer) } throws: { code($0) == .constraint } }
            #expect(try writer.machineSettings(after: nil, limit: 5) == [])
        },
        Check(name: "what is set for machines is there when the store is opened again") {
            (store, writer, open) async throws in
            let settings = [setting("order", active: 2, retention: 5)]
            try write(settings, writer)
            try writer.close()
            let again = try open().writer()
            #expect(try again.machineSettings(after: nil, limit: 5) == settings)
            try again.close()
        },
    ]

    private static func setting(
        _ name: MachineName, active: MachineVersion? = nil, suspension: MachineSuspension? = nil,
        retention: Int64? = nil
    ) -> MachineSetting {
        MachineSetting(
            of: MachineKey(name, in: .default), active: active, suspension: suspension, retention: retention)
    }

    private static func write(_ settings: [MachineSetting], _ writer: any StoreWriter) throws {
        var batch = StoreBatch(numbers: writer.numbers(in: writer.partitions[0]))
        batch.changedSettings = settings
        try writer.commit(batch)
    }
}
