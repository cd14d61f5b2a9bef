import PostgresTesting
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

/// Cuts the connection at each byte of a commit and of its answer: the resolved outcome is what is in the database.
@Suite(.ownThreads, .enabled(if: PostgresServer.isWanted)) struct UnknownOutcomeTests {
    private static let insert = Statement(
        name: "insert-name", sql: "INSERT INTO namespace (id, name) VALUES ($1::bigint, $1::text)")

    private static func commit(_ log: PartitionLog, _ id: Int64) throws {
        let request = Request(insert) { $0.add(id) }
        try log.commit(log.rows.values.map(\.self), with: [request])
    }

    @Test(.timeLimit(.minutes(5)), arguments: [CuttingProxy.Direction.toServer, .toClient])
    func aCommitCutAnywhereIsResolvedRightly(direction: CuttingProxy.Direction) throws {
        let database = try TestDatabase(partitions: 2)
        let proxy = try CuttingProxy(to: database.server.socket)
        let log = try database.log(1, through: proxy)
        try log.take([0, 1].map(PartitionID.init(rawValue:)))
        try Self.commit(log, 1_000)
        let before = proxy.passed(direction)
        try Self.commit(log, 1_001)
        let bytes = proxy.passed(direction) - before
        #expect(bytes > 20)
        var outcomes: [CommitOutcome] = []
        var id: Int64 = 2_000
        for byte in sample(Array(0..<bytes), every: 7) {
            // The session has its statements.
            id += 2
            try Self.commit(log, id)
            proxy.cut(after: (byte, direction))
            #expect { try Self.commit(log, id + 1) } throws: { ($0 as? StoreError)?.code == .outcomeUnknown }
            let outcome = log.resolve()
            let isThere = try !database.run("SELECT id FROM namespace WHERE id = \(id + 1)").isEmpty
            switch outcome {
            case .committed: #expect(isThere, "cut after byte \(byte)")
            case .notCommitted: #expect(!isThere, "cut after byte \(byte)")
            case .unknown: Issue.record("cut after byte \(byte): unknown")
            }
            outcomes.append(outcome)
            try log.confirm()
        }
        try Self.commit(log, 1_002)
        // Only after the whole request is the commit there, and before each byte of its answer.
        let committed = outcomes.count { if case .committed = $0 { true } else { false } }
        #expect(direction == .toServer ? committed < outcomes.count : committed > 0)
    }

    /// Whoever finds out an outcome may lose its connection too, and its own row is no proof of the commit.
    @Test(.timeLimit(.minutes(5))) func findingOutMayBeCutToo() throws {
        let database = try TestDatabase()
        let proxy = try CuttingProxy(to: database.server.socket)
        let log = try database.log(1, through: proxy)
        try log.take([.first])
        var id: Int64 = 2_000
        // A connection and the settling have fewer bytes.
        for byte in sample(Array(0..<1_200), every: 53) {
            for (first, isCommitted) in [(CuttingProxy.Direction.toServer, false), (.toClient, true)] {
                id += 2
                try Self.commit(log, id)
                proxy.cut(after: (0, first), (byte, .toClient))
                #expect { try Self.commit(log, id + 1) } throws: { ($0 as? StoreError)?.code == .outcomeUnknown }
                let outcome = log.resolve()
                let isThere = try !database.run("SELECT id FROM namespace WHERE id = \(id + 1)").isEmpty
                #expect(isThere == isCommitted, "cut after byte \(byte)")
                #expect("\(outcome)" == (isCommitted ? "committed" : "notCommitted"), "cut after byte \(byte)")
                proxy.cut()
                try log.confirm()
            }
        }
    }

    /// The transaction in doubt is open, and its owner is silent: the outcome is that nothing was written.
    @Test(.timeLimit(.minutes(2))) func anOwnerThatIsKilledLeavesNothingHalf() throws {
        let database = try TestDatabase()
        let (one, two) = (try database.log(1), try database.log(2))
        try one.take([.first])
        let stay = Statement(name: "stay", sql: "SELECT pg_terminate_backend(pg_backend_pid())")
        let row = try #require(one.rows[.first])
        #expect { try one.commit([row], with: [Request(Self.insert) { $0.add(9) }, Request(stay)]) } throws: {
            ($0 as? StoreError)?.code == .outcomeUnknown
        }
        try two.take([.first])
        guard case .notCommitted = one.resolve() else { Issue.record("the commit is not there"); return }
        #expect { try Self.commit(one, 10) } throws: { ($0 as? StoreError)?.code == .fenced }
        try Self.commit(two, 11)
        #expect(try database.run("SELECT id FROM namespace ORDER BY id") == [1, 11])
    }

    /// A wait for a standby that somebody cancels is reported as success, with a warning.
    @Test(.timeLimit(.minutes(2))) func aWarningAtTheCommitLeavesItsOutcomeOpen() throws {
        let database = try TestDatabase()
        let log = try database.log(1)
        try log.take([.first])
        let warn = Statement(name: "warn", sql: "SELECT warn()")
        try database.run(
            """
            CREATE FUNCTION warn() RETURNS bigint LANGUAGE plpgsql AS
            $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN 1; END $$
            """)
        let row = try #require(log.rows[.first])
        #expect { try log.commit([row], with: [Request(warn)]) } throws: {
            ($0 as? StoreError)?.code == .outcomeUnknown
        }
        guard case .committed = log.resolve() else { Issue.record("the commit is there"); return }
        // The row, and the one whose commit waited for the standbys.
        #expect(log.rows[.first]?.number == 4)
        try Self.commit(log, 12)
    }
}
