import Testing
import WorkflowStore

extension StoreSuite {
    /// The checks of rows that are found by their positions.
    static let places: [Check] = [
        Check(name: "the seq of an instance before any position is found") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("first")
            for _ in 0..<30 { scribe.send("first") }
            scribe.start("second")
            for _ in 0..<600 {
                scribe.send("first")
                scribe.send("second")
            }
            try scribe.commit(writer)
            for name in ["first", "second"] {
                let instance = try #require(scribe.instances[name])
                let rows = try #require(scribe.history[name])
                for position in Array(stride(from: Int64(1), through: 1_240, by: 13)) + [1, 2, 1_231, 1_232, 1_233] {
                    let place = try #require(Position(instance.id.partition, number: position))
                    let found = try await store.seq(
                        of: instance.id, head: instance.head, headSeq: instance.seq, before: place)
                    #expect(found == rows.last { $0.position < place }?.seq, "before \(position)")
                }
            }
        },
        Check(name: "the last row before a position is found") { (store, writer) async throws in
            let scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("first")
            scribe.send("first")
            try scribe.commit(writer)
            let rows = try #require(scribe.history["first"])
            #expect(try await store.row(before: rows[0].position) == nil)
            #expect(try await store.row(before: rows[1].position) == rows[0])
            let far = try #require(Position(rows[1].position.partition, number: 1_000))
            #expect(try await store.row(before: far) == rows[1])
        },
    ]
}
