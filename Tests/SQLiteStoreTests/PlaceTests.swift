import Foundation
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowMigrations
import WorkflowStore

/// Tests that effects are held if a file is served at another place than before.
@Suite struct PlaceTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)
    private static let home = StorePlace(fileSystem: "ext:01", inode: 12, machine: "name:a")

    private static func open(
        _ path: String, _ place: PlaceSource?, migrations: [Migration] = Migrations.all
    ) throws(StoreError) -> SQLiteFileStore {
        try SQLiteFileStore.open(
            at: path, clock: now, place: place, limits: StoreLimits(), migrations: migrations)
    }

    /// Opens and closes the store. Returns the reason that a person is shown while effects are held.
    private static func holdReason(_ path: String, _ place: PlaceSource, holds: Bool = false) throws -> String? {
        let store = try SQLiteFileStore.open(at: path, clock: now, holds: holds, place: place)
        try store.writer().close()
        return store.holdReason
    }

    /// Opens and closes the store. Returns whether effects are held, and why.
    @discardableResult
    private static func visit(
        _ path: String, _ place: PlaceSource?, isReleased: Bool = false
    ) throws -> (isHeld: Bool, why: PlaceChange?) {
        let store = try open(path, place)
        let writer = try store.writer()
        if isReleased {
            var batch = StoreBatch(numbers: writer.numbers(in: writer.partitions[0]))
            batch.isHeld = false
            try writer.commit(batch)
        }
        try writer.close()
        return (store.holdReason != nil, store.recovered.placeChange)
    }

    private static func recorded(_ directory: TemporaryDirectory) throws -> String? {
        try RawFile(directory).value(
            "SELECT coalesce(filesystem, '-') || ' ' || coalesce(inode, '-') || ' ' || coalesce(machine, '-') FROM place"
        )
    }

    @Test(arguments: [
        (StorePlace(fileSystem: "xfs:02", inode: 12, machine: "name:a"), "file system was ext:01 and is xfs:02"),
        (StorePlace(fileSystem: "ext:01", inode: 13, machine: "name:a"), "inode was 12 and is 13"),
        (StorePlace(fileSystem: "ext:01", inode: 12, machine: "id:b"), "machine was name:a and is id:b"),
    ])
    func atAnotherPlaceEffectsAreHeldUntilARelease(place: StorePlace, difference: String) throws {
        let directory = try TemporaryDirectory()
        #expect(try !Self.visit(directory.store, .fixed(Self.home)).isHeld)
        #expect(try !Self.visit(directory.store, .fixed(Self.home)).isHeld)
        // Each start tells why effects are held, until somebody releases them.
        for isReleased in [false, true] {
            let (isHeld, why) = try Self.visit(directory.store, .fixed(place), isReleased: isReleased)
            #expect(isHeld && why == PlaceChange(from: Self.home, to: place))
            #expect(why?.description == "the database was copied or moved: its \(difference)")
        }
        let released = try Self.visit(directory.store, .fixed(place))
        #expect(!released.isHeld && released.why == nil)
        // The old place is another one now.
        #expect(try Self.visit(directory.store, .fixed(Self.home)).isHeld)
    }

    @Test func backAtItsPlaceAFileHoldsNothing() throws {
        let directory = try TemporaryDirectory()
        var away = Self.home
        away.machine = "name:b"
        try Self.visit(directory.store, .fixed(Self.home))
        for _ in 0..<2 {
            #expect(
                try Self.holdReason(directory.store, .fixed(away))
                    == "the database was copied or moved: its machine was name:a and is name:b; "
                    + "held since this start, 2023-11-14T22:13:20.000Z")
        }
        #expect(try Self.holdReason(directory.store, .fixed(Self.home)) == nil)
        // A release that accepted the other place may have started effects there.
        try Self.visit(directory.store, .fixed(away), isReleased: true)
        #expect(try Self.visit(directory.store, .fixed(Self.home)).isHeld)
        #expect(try Self.holdReason(directory.store, .fixed(away)) == nil)
    }

    @Test func aHoldByHandOutlastsAWrongPlaceAndSaysSo() throws {
        let directory = try TemporaryDirectory()
        let home = PlaceSource.fixed(Self.home)
        #expect(
            try Self.holdReason(directory.store, home, holds: true)
                == "held since this start with '--hold', 2023-11-14T22:13:20.000Z")
        #expect(try Self.visit(directory.store, .fixed(StorePlace(inode: 13))).why != nil)
        #expect(try Self.holdReason(directory.store, home) == "held since an earlier start with '--hold'")
        #expect(try Self.holdReason(directory.store, home, holds: true) == "held since an earlier start with '--hold'")
        try Self.visit(directory.store, home, isReleased: true)
        #expect(try Self.holdReason(directory.store, home) == nil)
    }

    @Test func whatNobodyKnowsIsNotCompared() throws {
        let directory = try TemporaryDirectory()
        try Self.visit(directory.store, .fixed(StorePlace(inode: 12)))
        #expect(try Self.recorded(directory) == "- 12 -")
        let all = try Self.visit(directory.store, .fixed(Self.home))
        #expect(!all.isHeld && all.why == nil)
        #expect(try Self.recorded(directory) == "ext:01 12 name:a")
        let none = try Self.visit(directory.store, .fixed(StorePlace()))
        #expect(!none.isHeld && none.why == nil)
        // A part of the place that was known before stays known.
        #expect(try Self.recorded(directory) == "ext:01 12 name:a")
    }

    @Test func aReleaseForgetsWhatTheNewPlaceDoesNotKnow() throws {
        let directory = try TemporaryDirectory()
        try Self.visit(directory.store, .fixed(Self.home))
        #expect(try Self.visit(directory.store, .fixed(StorePlace(inode: 13)), isReleased: true).isHeld)
        #expect(try Self.recorded(directory) == "- 13 -")
    }

    @Test func aHoldByHandAndItsReleaseLeaveThePlace() throws {
        let directory = try TemporaryDirectory()
        try Self.visit(directory.store, .fixed(Self.home))
        try SQLiteFileStore.open(at: directory.store, clock: Self.now, holds: true).writer().close()
        let held = try Self.visit(directory.store, .fixed(StorePlace(inode: 12)), isReleased: true)
        #expect(held.isHeld && held.why == nil)
        #expect(try Self.recorded(directory) == "ext:01 12 name:a")
    }

    @Test func whoeverDoesNotAskMayHaveItAnywhere() throws {
        let directory = try TemporaryDirectory()
        try Self.visit(directory.store, .fixed(Self.home))
        #expect(try !Self.visit(directory.store, nil).isHeld)
        #expect(try Self.recorded(directory) == "ext:01 12 name:a")
    }

    @Test func anUpgradedFileSaysWhereItIs() throws {
        let directory = try TemporaryDirectory()
        let older = Array(Migrations.all.dropLast())
        try Self.open(directory.store, .fixed(Self.home), migrations: older).writer().close()
        #expect(try !Self.visit(directory.store, .fixed(Self.home)).isHeld)
        #expect(try Self.recorded(directory) == "ext:01 12 name:a")
    }

    @Test(arguments: ["filesystem = ''", "machine = 'a' || char(10)"])
    func aPlaceThatNoWfdWritesIsDamage(edit: String) throws {
        let directory = try TemporaryDirectory()
        try Self.visit(directory.store, .fixed(Self.home))
        try RawFile(directory).execute("UPDATE place SET \(edit)")
        #expect { try Self.visit(directory.store, .fixed(Self.home)) } throws: {
            ($0 as? StoreError)?.code == .corrupt
        }
    }
}

/// The same tests with real files.
extension PlaceTests {
    @Test func aRealCopyIsHeldAndARenamedFileIsNot() throws {
        let directory = try TemporaryDirectory()
        let system = PlaceSource.system(machine: "a")
        let store = try Self.open(directory.store, system)
        let writer = try store.writer()
        let copy = try directory.copyAfterCrash()
        try writer.close()
        try #require(try Self.recorded(directory)?.hasSuffix(" - name:a") == false, "the inodes here do not last")

        #expect(try Self.visit(copy.store, system).why?.description.contains("its inode was ") == true)
        let renamed = directory.path + "/renamed.db"
        try FileManager.default.moveItem(atPath: directory.store, toPath: renamed)
        let moved = try Self.visit(renamed, system)
        #expect(!moved.isHeld && moved.why == nil)
        // The same file, by a machine of another name.
        #expect(
            try Self.visit(renamed, .system(machine: "b")).why?.description
                == "the database was copied or moved: its machine was name:a and is name:b")
    }

    /// The compaction does not get the name that the daemon is given.
    @Test func aCompactionKeepsThePlaceOfAMachineWithAName() async throws {
        let directory = try TemporaryDirectory()
        let (named, other) = (PlaceSource.system(machine: "a"), PlaceSource.system(machine: "b"))
        try Self.visit(directory.store, named)
        let before = try #require(try Self.recorded(directory))
        try #require(!before.hasSuffix(" - name:a"), "the inodes here do not last")

        _ = try await StoreCompaction(path: directory.store) { _ in }.run()
        let after = try #require(try Self.recorded(directory))
        #expect(after != before && after.hasSuffix(" name:a"))
        let compacted = try Self.visit(directory.store, named)
        #expect(!compacted.isHeld && compacted.why == nil)

        // A compaction accepts no other place either.
        try #require(try Self.visit(directory.store, other).isHeld)
        _ = try await StoreCompaction(path: directory.store) { _ in }.run()
        #expect(try Self.visit(directory.store, other).isHeld)
        #expect(try !Self.visit(directory.store, named).isHeld)
    }

    @Test func aRestoreSaysWhereItIs() async throws {
        let (directory, target) = (try TemporaryDirectory(), try TemporaryDirectory())
        try Self.visit(directory.store, .fixed(Self.home))
        let system = PlaceSource.system(machine: "a")
        _ = try await StoreRestoration(
            backup: directory.store, database: target.store, place: system, verify: { _ in }
        ).run(clock: Self.now)
        #expect(
            try Self.holdReason(target.store, system)
                == "held since 'wfd restore', 2023-11-14T22:13:20.000Z, or since a start with '--hold' after it")
        let restored = try Self.visit(target.store, system, isReleased: true)
        // The hold comes from the restore, and not from being a copy.
        #expect(restored.isHeld && restored.why == nil)
        #expect(try Self.recorded(target)?.hasSuffix("name:a") == true)
        #expect(try !Self.visit(target.store, system).isHeld)
    }

    @Test(arguments: [
        ("00112233445566778899aabbccddeeff\n", true), ("00112233445566778899aabbccddeeff", true), ("", false),
        ("uninitialized\n", false), ("00000000000000000000000000000000\n", false), ("00112233\n", false),
        ("00112233445566778899aabbccddeeff00\n", false), ("00112233445566778899AABBCCDDEEFF\n", false),
    ])
    func aMachineIsKnownByItsID(text: String, isKnown: Bool) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Data(text.utf8), to: "machine-id")
        let machine = PlaceSource.machine(from: directory.path + "/machine-id")
        // The id itself does not leave the machine.
        #expect(machine == (isKnown ? "id:64aef545b9be79a4" : nil))
        #expect(PlaceSource.machine(from: directory.path + "/missing") == nil)
    }
}
