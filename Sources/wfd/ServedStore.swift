import Foundation
import Logging
import PostgresStore
import SQLiteStore
import Statechart
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowServer
import WorkflowSettings
import WorkflowStore

/// The open store of a daemon, and what is kept beside it.
struct ServedStore {
    let store: any WorkflowStore
    /// The highest time of a write before the store was opened.
    let last: Timestamp
    /// The place of the tokens.
    let tokens: any AccessStorage
    /// The record of begun programs; `nil` without one.
    let attempts: (any AttemptLog)?
    /// This daemon among those of the store; `nil` for a store that one daemon alone can serve.
    var term: StoreTerm?
    /// The findings of opening the store, for the log.
    let found: String

    /// Opens a database file; finishes unfinished erasures first.
    ///
    /// - Parameters:
    ///   - latest: A store that was written to at a later time is refused; `nil` accepts any time.
    ///   - boot: A text that differs after each start of the machine.
    static func open(
        file: String, _ settings: Settings, at now: Timestamp, notAfter latest: Timestamp?, boot: String,
        _ manager: ServiceManager, _ logger: Logger
    ) async throws -> ServedStore {
        let store = try await StandingErasures.open(time: \.last, logger: logger) {
            let store = try SQLiteFileStore.open(
                at: file, makingFolder: settings.database == nil, clock: now, on: settings.clock,
                notAfter: latest, holds: settings.isHolding, place: .system(machine: settings.place),
                upgrade: UpgradeOptions(keepsCopy: !settings.keepsNoCopy) {
                    logger.notice("upgrade", metadata: ["step": "\($0)"])
                    manager.show("upgrade: \($0)")
                })
            for copy in store.recovered.copiesBeforeUpgrades {
                logger.warning(
                    "a copy from before an upgrade has all that was erased since; remove it when you do not go back",
                    metadata: ["copy": "\(copy)"])
            }
            if store.recovered.wasCreated { logger.notice("there was no database, a new one was made") }
            if let broken = store.recovered.logBreak { logger.warning("\(broken)", metadata: ["database": "\(file)"]) }
            return store
        }
        return ServedStore(
            store: store, last: store.last, tokens: AccessFile(besideDatabase: store.path),
            attempts: store.attemptLog(boot: boot), found: "\(store.recovered)")
    }

    /// Opens a store in a database of PostgreSQL, which may belong to another daemon now. Waits while the server is out
    /// of reach.
    ///
    /// - Parameter book: Takes the tokens that another daemon has changed.
    static func open(
        _ address: PostgresAddress, _ settings: Settings, _ book: AccessBook, _ logger: Logger
    ) async throws -> ServedStore {
        guard settings.clock == .real else {
            throw StoreError(.otherClock, "Cannot open '\(address)': the virtual clock needs a database in a file")
        }
        var random = SystemRandomNumberGenerator()
        let owner = UniqueID(at: SystemClock().now(), random: &random)
        let backups = ExportedBackups(of: "\(address)", at: backupPlace(of: address)) { PostgresExport(address) }
        let store = try PostgresDatabase.open(
            address, owner: owner, insecure: settings.isInsecure, backups: backups)
        try store.requireConnections()
        let tokens = SharedTokens(address)
        let table = DaemonTable(address, id: owner, version: Build.version, partitions: store.partitions)
        guard let secret = PeerSecret(try table.secret()) else {
            throw StoreError(.damaged, "Cannot open '\(address)': the secret of its daemons is damaged")
        }
        let term = StoreTerm(
            table, secret: secret, generation: store.identity.generation, tokens: tokens, book: book, logger: logger
        ) {
            try await prepare(address, as: store.identity, owner, insecure: settings.isInsecure, logger)
        }
        try term.enter(address, hasPeer: settings.peer != nil)
        return ServedStore(
            store: store, last: Timestamp(rawValue: 0), tokens: tokens, attempts: nil, term: term,
            found: "PostgreSQL, schema \(StoreSchema.newest)")
    }

    /// Returns the beginning of the paths of backups of a database of PostgreSQL: where a database in a file would be,
    /// or in the folder for temporary files. Each database has its own.
    private static func backupPlace(of address: PostgresAddress) -> String {
        let name = Digest(of: Array("\(address)".utf8)).text.prefix(16)
        // Without a place for a database there is the other folder.
        let file = try? DefaultPlaces(environment: ProcessInfo.processInfo.environment).databaseFile()
        let folder = file.map { URL(filePath: $0).deletingLastPathComponent() }
        return (folder ?? FileManager.default.temporaryDirectory).appending(path: "wfd-postgres-\(name)").path
    }

    /// Prepares a store that this daemon owns now: checks the clock, and finishes unfinished erasures.
    private static func prepare(
        _ address: PostgresAddress, as identity: StoreIdentity, _ owner: UniqueID, insecure isInsecure: Bool,
        _ logger: Logger
    ) async throws {
        let open = { try PostgresDatabase.open(address, owner: owner, insecure: isInsecure) }
        let first = try open()
        defer { first.close() }
        guard first.identity == identity else {
            throw StoreError(.fenced, "Cannot use '\(address)': it was restored meanwhile; this daemon ends")
        }
        let now = SystemClock().now()
        var last = Timestamp(rawValue: 0)
        for partition in first.partitions {
            last = max(last, try await first.look(in: partition) { _, numbers in numbers.last })
        }
        if last > Self.latest(now) {
            throw StoreError(
                .clockBehind,
                "Cannot open '\(address)': its last event is of \(WireTime(milliseconds: last.rawValue).text); "
                    + "the clock of this machine says \(WireTime(milliseconds: now.rawValue).text); correct it, "
                    + "or run 'wfd clock accept'")
        }
        try await StandingErasures.open(time: { [last] _ in last }, logger: logger, open).close()
    }

    /// The latest time at which a store may have been written. An hour is more than a normal correction of a clock, and
    /// less than an error that makes timers fire at a wrong time.
    static func latest(_ now: Timestamp) -> Timestamp { Timestamp(rawValue: now.rawValue + 3_600_000) }
}
