import Logging
import PostgresStore
import SQLiteStore
import Statechart
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
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

    /// Opens a store in a database of PostgreSQL; finishes unfinished erasures first.
    static func open(
        _ address: PostgresAddress, _ settings: Settings, at now: Timestamp, notAfter latest: Timestamp?,
        _ logger: Logger
    ) async throws -> ServedStore {
        guard settings.clock == .real else {
            throw StoreError(.otherClock, "Cannot open '\(address)': the virtual clock needs a database in a file")
        }
        try LivingOwner(of: address).refuse()
        var random = SystemRandomNumberGenerator()
        let owner = UniqueID(at: now, random: &random)
        let first = try PostgresDatabase.open(address, owner: owner)
        guard first.partitions.count == 1 else {
            throw StoreError(
                .unsupported,
                "Cannot open '\(address)': it has \(first.partitions.count) partitions, and this wfd serves one; make "
                    + "a store with 'wfd init --partitions 1'")
        }
        let last = try await first.look(in: .first) { _, numbers in numbers.last }
        if let latest, last > latest {
            throw StoreError(
                .clockBehind,
                "Cannot open '\(address)': its last event is of \(WireTime(milliseconds: last.rawValue).text); "
                    + "the clock of this machine says \(WireTime(milliseconds: now.rawValue).text); correct it")
        }
        let store = try await StandingErasures.open(time: { _ in last }, logger: logger) {
            try PostgresDatabase.open(address, owner: owner)
        }
        return ServedStore(
            store: store, last: last, tokens: TokenStorage(address), attempts: nil,
            found: "PostgreSQL, schema \(StoreSchema.newest)")
    }
}

/// Keeps tokens in the database of PostgreSQL.
private struct TokenStorage: AccessStorage {
    let path: String
    private let table: TokenTable

    init(_ address: PostgresAddress) {
        path = "\(address)"
        table = TokenTable(address)
    }

    func read() throws(AccessError) -> [UInt8]? {
        do {
            return try table.read()
        } catch {
            throw AccessError(.refused, "\(error)")
        }
    }

    func write(_ bytes: [UInt8], replaced: () -> Void) throws(AccessError) {
        do {
            try table.write(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw AccessError(.notWritten, "\(error)")
        }
        replaced()
    }
}
