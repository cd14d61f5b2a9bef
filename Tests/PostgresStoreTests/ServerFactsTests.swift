import PostgresTesting
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

/// A store is opened only where it is safe, and a refusal says what to do.
@Suite(.ownThreads) struct ServerFactsTests {
    private static func facts(_ change: (inout ServerFacts) -> Void) -> ServerFacts {
        var facts = ServerFacts()
        change(&facts)
        return facts
    }

    /// Facts that are refused, with the code and the words, and true if an insecure opening accepts them.
    private static let refusals: [(ServerFacts, StoreError.Code, String, Bool)] = [
        (
            facts { $0.version = 130_014 }, .unsupported,
            "the server is PostgreSQL 13; upgrade it to 14 or later", false
        ),
        (
            facts { $0.isPooled = true }, .unsupported,
            "a pooler gives its connections to others after each transaction; name the server itself, or pool by "
                + "session", false
        ),
        (
            facts { $0.isStandby = true }, .unavailable,
            "the server is a standby; name the primary server too, and add 'target_session_attrs=read-write'", false
        ),
        (
            facts { $0.encoding = "LATIN1" }, .unsupported,
            "the encoding of the database is LATIN1; create one with 'ENCODING UTF8 TEMPLATE template0'", false
        ),
        (
            facts { $0.schema = nil }, .foreignFile, "it has no store; run 'wfd init' for an empty database", false
        ),
        (
            facts { $0.schema = 2 }, .newerSchema,
            "its schema 2 is of a later version of wfd (this one knows 1); use that version", false
        ),
        (
            facts { $0.synchronousCommit = "local" }, .unsupported,
            "'synchronous_commit' is local, so an answered event may be lost; set it to 'on' for this role or database",
            true
        ),
        (
            facts { $0.fsync = "off" }, .unsupported,
            "'fsync' is off, so a crash may destroy the database; set it to 'on'", true
        ),
        (
            facts { $0.fullPageWrites = "off" }, .unsupported,
            "'full_page_writes' is off, so a crash may destroy the database; set it to 'on'", true
        ),
        (
            facts { $0.link = ConnectionLink(isLocal: false) }, .unsupported,
            "others may read and change what is sent to the server; add 'sslmode=verify-full', or give '--insecure'",
            true
        ),
        (
            facts { $0.link = ConnectionLink(isLocal: false, isVerified: true, showsPassword: true) }, .unsupported,
            "the password may not be checked by SCRAM; add 'channel_binding=require', or give '--insecure'", true
        ),
    ]

    @Test(arguments: refusals.indices) func aRefusalSaysWhatToDo(place: Int) throws {
        let (facts, code, words, isAccepted) = Self.refusals[place]
        let address = try PostgresAddress("postgres://wfd:secret@db1/flows")
        let refusal = try #require(facts.refusal(at: address, insecure: false))
        #expect(refusal.code == code)
        #expect(refusal.message == "Cannot use the database 'postgres://wfd@db1/flows': \(words)")
        #expect((facts.refusal(at: address, insecure: true) == nil) == isAccepted)
        #expect(ServerFacts().refusal(at: address, insecure: false) == nil)
    }

    @Test(.enabled(if: PostgresServer.isWanted)) func aServerSaysWhatItIs() throws {
        let database = try TestDatabase()
        var facts = try ServerFacts.read(database.address)
        #expect(facts.version >= ServerFacts.lowestVersion)
        facts.version = ServerFacts().version
        #expect(facts == ServerFacts())
        for value in ["off", "local", "remote_write"] {
            try database.run("ALTER DATABASE \(database.name) SET synchronous_commit = '\(value)'")
            #expect(try ServerFacts.read(database.address).synchronousCommit == value)
            let code: StoreError.Code? = value == "remote_write" ? nil : .unsupported
            #expect(Self.code { _ = try database.open() } == code)
            #expect(Self.code { _ = try database.open(insecure: true) } == nil)
        }
        try database.run("UPDATE store SET version = 2")
        #expect(Self.code { _ = try database.open(insecure: true) } == .newerSchema)
    }

    /// Waiting gives no rights, so a role without them is refused for good.
    @Test(.enabled(if: PostgresServer.isWanted)) func aRoleWithoutRightsIsRefused() throws {
        let database = try TestDatabase()
        try database.run("CREATE ROLE guest_\(database.name) LOGIN")
        let url = database.server.url(database.name).replacing("user=wfd", with: "user=guest_\(database.name)")
        let owner = UniqueID(bytes: Array(repeating: 3, count: 16))
        #expect(Self.code { _ = try PostgresDatabase.open(PostgresAddress(url), owner: owner) } == .cannotOpen)
    }

    /// A daemon begins only if its connections are free; others of the database are counted.
    @Test(.enabled(if: PostgresServer.isWanted)) func tooFewConnectionsAreRefused() throws {
        let database = try TestDatabase(partitions: 4)
        try database.run("ALTER DATABASE \(database.name) CONNECTION LIMIT 60")
        try database.open().requireConnections()
        // Enough for a daemon alone.
        try database.run("ALTER DATABASE \(database.name) CONNECTION LIMIT 16")
        let others = Snapshot(address: try database.address, read: ReadingConnection(try database.address).run)
        _ = try others.answers([LogRow.lasts([.first])])
        let error = #expect(throws: StoreError.self) { try database.open().requireConnections() }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("wfd needs 16 connections for 4 partitions, and ") == true)
    }

    @Test(.enabled(if: PostgresServer.isWanted)) func aDatabaseOfAnotherProgramIsNotOpened() throws {
        let server = try #require(PostgresServer.shared)
        let name = try server.database()
        let database = TestDatabase(server: server, name: name)
        #expect(Self.code { _ = try database.open() } == .foreignFile)
        try database.run("CREATE TABLE store (id int)")
        #expect(Self.code { _ = try database.open() } == .foreignFile)
        let schema = StoreSchema(try database.address)
        #expect(Self.code { try schema.create(Self.uuid, partitions: 1) } == .foreignFile)
    }

    @Test(.enabled(if: PostgresServer.isWanted)) func aDatabaseOfAnotherEncodingIsNotOpened() throws {
        let server = try #require(PostgresServer.shared)
        let maker = TestDatabase(server: server, name: try server.database())
        let name = maker.name + "_latin"
        try maker.run("CREATE DATABASE \(name) ENCODING LATIN1 LOCALE 'C' TEMPLATE template0")
        #expect(Self.code { _ = try TestDatabase(server: server, name: name).open() } == .unsupported)
        let schema = StoreSchema(try PostgresAddress(server.url(name)))
        #expect(Self.code { try schema.create(Self.uuid, partitions: 1) } == .unsupported)
    }

    private static let uuid = UniqueID(bytes: Array(repeating: 1, count: 16))

    private static func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }
}
