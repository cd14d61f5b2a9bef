import Foundation
import PostgresTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

@Suite(.ownThreads, .enabled(if: PostgresServer.isWanted)) struct PartitionLogTests {
    @Test func theLastRowSaysWhoOwns() throws {
        let database = try TestDatabase()
        let (one, two) = (try database.log(1), try database.log(2))
        try one.take([.first])
        try one.confirm()
        try commit(one)
        try two.take([.first])
        #expect { try one.confirm() } throws: { code($0) == .fenced }
        #expect { try commit(one) } throws: { code($0) == .fenced }
        try commit(two)
        #expect(try database.run("SELECT number FROM batch ORDER BY number") == [1, 2, 3, 4, 5])
    }

    /// A standby that became the primary may lack what was answered.
    @Test func aRowThatIsGoneFences() throws {
        let database = try TestDatabase()
        let log = try database.log(1)
        try log.take([.first])
        try commit(log)
        try database.run("DELETE FROM batch WHERE number = 3")
        #expect { try commit(log) } throws: { code($0) == .fenced }
        #expect { try log.confirm() } throws: { code($0) == .fenced }
    }

    /// Commits that are gone are told as such, and readers are told by the generation.
    @Test(arguments: [false, true]) func lostCommitsRaiseTheGeneration(isAnothers: Bool) throws {
        let database = try TestDatabase(partitions: 2)
        let partitions = [0, 1].map(PartitionID.init(rawValue:))
        let log = PartitionLog(
            try database.address, owner: UniqueID(bytes: Array(repeating: 1, count: 16)), generation: 1)
        try log.take(partitions)
        try commit(log)
        let loss =
            isAnothers
            ? "UPDATE batch SET owner = decode(repeat('02', 16), 'hex') WHERE number = 3"
            : "DELETE FROM batch WHERE number = 3"
        try database.run(loss)
        let error = #expect(throws: StoreError.self) { try commit(log) }
        #expect(error?.code == .fenced && error?.message.contains("has lost commits that were answered") == true)
        #expect(try database.run("SELECT generation FROM store") == [2])
        #expect(try database.run("SELECT generation FROM restoration ORDER BY partition") == [2, 2])
        // It is raised once, however many daemons find out.
        #expect(throws: StoreError.self) { try log.confirm() }
        #expect(try database.run("SELECT generation FROM store") == [2])
    }

    /// A daemon that was overtaken has lost nothing.
    @Test func beingOvertakenIsNoLoss() throws {
        let database = try TestDatabase()
        let log = PartitionLog(
            try database.address, owner: UniqueID(bytes: Array(repeating: 1, count: 16)), generation: 1)
        try log.take([.first])
        try commit(log)
        try database.log(2).take([.first])
        let error = #expect(throws: StoreError.self) { try commit(log) }
        #expect(error?.message.contains("another process has taken partition 0 over") == true)
        #expect(try database.run("SELECT generation FROM store") == [1])
    }

    /// After a failover, as many rows of another owner may stand where the own rows were.
    @Test func aRowThatIsAnothersFences() throws {
        let database = try TestDatabase()
        let log = try database.log(1)
        try log.take([.first])
        try commit(log)
        try database.run("UPDATE batch SET owner = decode(repeat('02', 16), 'hex') WHERE number = 3")
        #expect { try log.confirm() } throws: { code($0) == .fenced }
        #expect { try commit(log) } throws: { code($0) == .fenced }
        #expect(try database.run("SELECT max(number) FROM batch") == [3])
    }

    @Test func aRefusedRowChangesNothing() throws {
        let database = try TestDatabase(partitions: 2)
        let log = try database.log(1)
        try log.take([0, 1].map(PartitionID.init(rawValue:)))
        let bad = Statement(name: "bad", sql: "INSERT INTO namespace (id, name) VALUES (1, 'again')")
        let next = log.rows.values.map(\.self)
        let failure = #expect(throws: StoreError.self) { try log.commit(next, with: [Request(bad)]) }
        #expect(failure?.code == .constraint)
        #expect(failure?.message.contains("again") == false)
        #expect(try database.run("SELECT max(number) FROM batch GROUP BY partition") == [2, 2])
        try log.commit(next, with: [])
        #expect(try database.run("SELECT max(number) FROM batch GROUP BY partition") == [3, 3])
    }

    /// The server refuses with each code as often as the number says; what the caller sees.
    @Test(
        arguments: [
            ("40001", 2, nil), ("40P01", 2, nil), ("55P03", 2, nil), ("40001", 3, .unavailable),
            ("23514", 1, .constraint), ("22P02", 1, .constraint), ("53100", 1, .unavailable),
            ("57P03", 1, .unavailable), ("25006", 1, .unavailable), ("XX001", 1, .corrupt), ("XX002", 1, .corrupt),
            ("23505", 1, .constraint), ("23502", 1, .constraint), ("XX000", 1, .unavailable),
        ] as [(String, Int64, StoreError.Code?)])
    func aRefusalHasItsCode(state: String, times: Int64, code expected: StoreError.Code?) throws {
        let database = try TestDatabase()
        // A sequence counts although its transaction is rolled back.
        try database.run("CREATE SEQUENCE tries")
        try database.run(
            """
            CREATE FUNCTION fail() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('tries') <= \(times) THEN RAISE EXCEPTION 'secret' USING ERRCODE = '\(state)'; END IF;
                RETURN 1;
            END $$
            """)
        let log = try database.log(1)
        try log.take([.first])
        let fail = [Request(Statement(name: "fail", sql: "SELECT fail()"))]
        let row = try #require(log.rows[.first])
        if let expected {
            let error = #expect(throws: StoreError.self) { try log.commit([row], with: fail) }
            #expect(error?.code == expected)
            #expect(try database.run("SELECT max(number) FROM batch") == [2])
        }
        try log.commit([row], with: fail)
        #expect(try database.run("SELECT max(number) FROM batch") == [3])
    }

    /// Each believes that it owns the partition only while the last row is its own.
    @Test(.timeLimit(.minutes(5))) func noContenderWritesOnTopOfAnother() async throws {
        let database = try TestDatabase()
        let written = Mutex<[Int64: UInt8]>([:])
        let takings = Mutex(0)
        let end = ContinuousClock.now + .seconds(2)
        let note: @Sendable (PartitionLog) -> Void = { log in
            guard let row = log.rows[.first], let owner = row.owner.first else { return }
            let earlier = written.withLock { $0.updateValue(owner, forKey: row.number) }
            #expect(earlier == nil, "row \(row.number) was appended twice")
        }
        let contender: @Sendable (UInt8) throws -> Void = { owner in
            let log = try database.log(owner)
            while ContinuousClock.now < end {
                do {
                    try log.take([.first])
                    takings.withLock { $0 += 1 }
                    for _ in 0..<Int.random(in: 1...20) {
                        note(log)
                        try commit(log)
                    }
                    note(log)
                } catch let error as StoreError where error.code == .fenced {}
            }
        }
        try await withThrowingTaskGroup { group in
            for owner in 1...6 as ClosedRange<UInt8> {
                group.addTask { try await onOwnThread { try contender(owner) } }
            }
            try await group.waitForAll()
        }
        let (rows, count) = (written.withLock { $0 }, takings.withLock { $0 })
        #expect(count > 6)
        let found = try database.run(
            "SELECT number * 256 + get_byte(owner, 0) FROM batch WHERE number > 1 ORDER BY number")
        #expect(found.map { $0 >> 8 } == Array(2..<Int64(found.count) + 2))
        #expect(found.map { UInt8($0 & 255) } == found.map { rows[$0 >> 8] })
    }

    private func commit(_ log: PartitionLog) throws {
        try log.commit(log.rows.values.map(\.self), with: [])
    }

    private func code(_ error: any Error) -> StoreError.Code? { (error as? StoreError)?.code }
}
