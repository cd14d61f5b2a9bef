import PostgresTesting
import StoreSuite
import StoreTesting
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

/// Tests the commits of several writers that share transactions.
@Suite(.ownThreads, .enabled(if: PostgresServer.isWanted)) struct CommitGroupTests {
    /// Four writers of a database, one for each partition, and batches for them.
    private struct Lanes {
        let database: TestDatabase
        let group: CommitGroup
        let scribe: Scribe
        private let memory = FakeStore(partitions: 4)
        private let oracle: any StoreWriter

        init(through proxy: CuttingProxy? = nil) throws {
            database = try TestDatabase(partitions: 4)
            oracle = try memory.writer()
            scribe = Scribe(oracle)
            let address = try PostgresAddress(database.server.url(database.name, port: proxy?.port))
            group = CommitGroup(address, owner: UniqueID(bytes: Array(repeating: 1, count: 16)))
            scribe.apply("order")
            for number in 0..<40 { scribe.start("order-\(number)") }
            let first = scribe.takeAll()
            try oracle.commit(first)
            let all = try PostgresWriter(try database.address, group: group, partitions: memory.partitions)
            try all.commit(first)
        }

        /// Returns a batch for each partition.
        func batches() throws -> [StoreBatch] {
            for number in 0..<40 { scribe.send("order-\(number)") }
            let batches = scribe.takeAll()
            try #require(batches.count == 4)
            try oracle.commit(batches)
            return batches
        }

        /// Commits batches at the same time, each on a thread of its own. All wait until the others are there.
        ///
        /// - Returns: The error of each, and the outcome if it is unknown.
        func commit(
            _ batches: [StoreBatch], prepare: () -> Void = {}
        ) async -> [(error: StoreError.Code?, outcome: String)] {
            let hold = Hold()
            hold.shut()
            let holder = Task { [group] in try await onOwnThread { group.withTurn { _ in hold.pass() } } }
            hold.waitForSomebodyHeld()
            prepare()
            return await withTaskGroup(of: (Int, StoreError.Code?, String).self) { [group] tasks in
                for (place, batch) in batches.enumerated() {
                    tasks.addTask {
                        var outcome = CommitOutcome.unknown
                        do throws(StoreError) {
                            try group.commit([batch], outcome: &outcome)
                            return (place, nil, "committed")
                        } catch {
                            return (place, error.code, "\(outcome)")
                        }
                    }
                }
                try? await eventually("all wait") { group.waitingCount == batches.count }
                hold.open()
                _ = await holder.result
                let endings = await tasks.reduce(into: []) { $0.append($1) }
                return endings.sorted { $0.0 < $1.0 }.map { ($0.1, $0.2) }
            }
        }

        /// The number of transactions that wrote the last rows of the logs, and the number of these rows.
        func last() throws -> [Int64] {
            try database.run(
                """
                SELECT unnest(ARRAY[count(DISTINCT b.xmin::text), count(*)]) FROM batch b
                WHERE number = (SELECT max(number) FROM batch)
                """)
        }
    }

    @Test func whoCommitsTakesTheOthersAlong() async throws {
        let lanes = try Lanes()
        let endings = await lanes.commit(try lanes.batches())
        #expect(endings.allSatisfy { $0.error == nil })
        #expect(try lanes.last() == [1, 4])
        for number in 0..<40 {
            let seq = try lanes.database.run("SELECT seq FROM instance WHERE name = 'order-\(number)'")
            #expect(seq == [2])
        }
    }

    @Test func oneThatBreaksAConstraintFailsAlone() async throws {
        let lanes = try Lanes()
        var batches = try lanes.batches()
        var missing = try #require(batches[2].changedInstances.first)
        missing.id = InstanceID(rawValue: missing.id.rawValue + 900)
        batches[2].changedInstances.append(missing)
        let endings = await lanes.commit(batches)
        #expect(endings.map(\.error) == [nil, nil, .constraint, nil])
        #expect(try lanes.last() == [3, 3])
    }

    @Test func onePartitionThatWasTakenFencesItsWriterAlone() async throws {
        let lanes = try Lanes()
        let batches = try lanes.batches()
        try lanes.database.log(2).take([PartitionID(rawValue: 1)])
        let endings = await lanes.commit(batches)
        #expect(endings.map(\.error) == [nil, .fenced, nil, nil])
    }

    /// All writers of a transaction without an answer learn the same outcome.
    @Test func anOutcomeIsTheSameForAll() async throws {
        let proxy = try CuttingProxy(to: try #require(PostgresServer.shared).socket)
        let lanes = try Lanes(through: proxy)
        let endings = await lanes.commit(try lanes.batches()) { proxy.cut(after: (0, .toClient)) }
        #expect(endings.allSatisfy { $0.error == .outcomeUnknown })
        #expect(Set(endings.map(\.outcome)) == ["committed"])
        #expect(try lanes.database.run("SELECT max(seq) FROM instance") == [2])
        // The writers go on.
        #expect(await lanes.commit(try lanes.batches()).allSatisfy { $0.error == nil })
    }

    /// A commit that never came to the server is tried again, on a new connection.
    @Test func whatWasNotCarriedOutIsTriedAgain() async throws {
        let proxy = try CuttingProxy(to: try #require(PostgresServer.shared).socket)
        let lanes = try Lanes(through: proxy)
        let endings = await lanes.commit(try lanes.batches()) { proxy.cut(after: (0, .toServer)) }
        #expect(endings.allSatisfy { $0.error == nil })
        #expect(try lanes.database.run("SELECT max(seq) FROM instance") == [2])
    }
}
