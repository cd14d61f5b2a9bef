import PostgresTesting
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

/// Tests the table of daemons, and taking and giving, on a server.
@Suite(.ownThreads, .enabled(if: PostgresServer.isWanted)) struct DaemonTableTests {
    private static func id(_ number: UInt8) -> UniqueID { UniqueID(bytes: Array(repeating: number, count: 16)) }

    private let now = Timestamp(rawValue: 1_800_000_000_000)

    private func table(_ number: UInt8, _ database: TestDatabase, partitions: Int64 = 1) throws -> DaemonTable {
        DaemonTable(
            try database.address, id: Self.id(number), version: "1.2.3",
            partitions: (0..<partitions).map(PartitionID.init(rawValue:)))
    }

    @Test func daemonsSeeEachOther() throws {
        let database = try TestDatabase()
        let (one, two) = (try table(1, database), try table(2, database))
        let alone = try one.renew(at: now, tokens: 0, peer: nil)
        #expect(alone.daemons.map(\.id) == [Self.id(1)] && alone.owners == [nil] && alone.tokens == 0)
        let look = try two.renew(at: now, tokens: 4, peer: "127.0.0.1:7443")
        #expect(look.daemons.map(\.id) == [Self.id(1), Self.id(2)])
        #expect(look.daemons.allSatisfy { $0.isAlive && $0.isConnected == true && $0.version == "1.2.3" })
        #expect(look.daemons.map(\.tokens) == [0, 4] && look.daemons.map(\.peer) == [nil, "127.0.0.1:7443"])
        for row in look.daemons { #expect(row.lease > .seconds(1) && row.lease <= DaemonTable.lease) }
        try two.leave()
        #expect(try one.renew(at: now, tokens: 0, peer: nil).daemons.map(\.id) == [Self.id(1)])
    }

    @Test func aConnectionThatIsGoneIsSeen() throws {
        let database = try TestDatabase()
        let one = try table(1, database)
        do { _ = try table(2, database).renew(at: now, tokens: 0, peer: nil) }
        let end = ContinuousClock.now + .seconds(60)
        while try one.renew(at: now, tokens: 0, peer: nil).daemon(Self.id(2))?.isConnected != false {
            try #require(ContinuousClock.now < end, "the server has ended the session")
        }
        // A row of another start of the server says nothing.
        try database.run("UPDATE daemon SET server = 'another' WHERE id = decode(repeat('02', 16), 'hex')")
        let row = try #require(try one.renew(at: now, tokens: 0, peer: nil).daemon(Self.id(2)))
        #expect(row.isConnected == nil && row.isAlive)
        try database.run("UPDATE daemon SET lease_until_ms = 0 WHERE id = decode(repeat('02', 16), 'hex')")
        #expect(try one.renew(at: now, tokens: 0, peer: nil).daemon(Self.id(2))?.isAlive == false)
        // The next daemon clears what is long over.
        #expect(try table(3, database).renew(at: now, tokens: 0, peer: nil).daemons.count == 2)
    }

    @Test func allPartitionsAreTakenAndGiven() throws {
        let database = try TestDatabase(partitions: 4)
        let (one, two) = (try table(1, database, partitions: 4), try table(2, database, partitions: 4))
        try one.take(from: [])
        #expect(try two.renew(at: now, tokens: 0, peer: nil).owners == Array(repeating: Self.id(1), count: 4))
        #expect(throws: StoreError.self) { try two.give(to: Self.id(3)) }
        try one.give(to: Self.id(2))
        #expect(try one.renew(at: now, tokens: 0, peer: nil).owners == Array(repeating: Self.id(2), count: 4))
        // The heir appends on top.
        let log = PartitionLog(try database.address, owner: Self.id(2))
        try log.take([.first])
        try log.commit(log.rows.values.map(\.self), with: [])
        #expect(throws: StoreError.self) { try one.give(to: Self.id(1)) }
    }

    /// An owner that hangs in a transaction keeps nobody from taking over.
    @Test func theSessionsOfAHangingOwnerAreEnded() throws {
        let database = try TestDatabase()
        let owner = try database.log(2)
        try owner.take([.first])
        let hanging = try Connection(
            try database.address, name: Connection.writerName(of: Self.id(2)))
        let next = Statement(
            name: "hang",
            sql: """
                INSERT INTO batch SELECT partition, number + 1, owner, number, next_position, next_instance,
                    next_machine, last_ms, clock_ms, clock_position, dedupe_floor, dedupe_ms, dedupe_count,
                    purge_floor, timer_floor, settles, tally FROM batch WHERE number = 2
                """)
        _ = try hanging.run([Request(.begin), Request(next)])
        let heir = try table(1, database)
        let begin = ContinuousClock.now
        try heir.take(from: [Self.id(2)])
        #expect(ContinuousClock.now - begin >= .milliseconds(500))
        #expect(throws: PostgresFailure.self) { try hanging.run([Request(.commit)], continuing: true) }
        #expect(try heir.renew(at: now, tokens: 0, peer: nil).owners == [Self.id(1)])
        #expect(throws: StoreError.self) { try owner.confirm() }
    }

    @Test func daemonsShareASecret() throws {
        let database = try TestDatabase()
        let secret = try table(1, database).secret()
        #expect(secret.count == 32 && Set(secret).count > 8)
        #expect(try table(2, database).secret() == secret)
        #expect(try table(1, try TestDatabase(partitions: 2)).secret() != secret)
    }
}
