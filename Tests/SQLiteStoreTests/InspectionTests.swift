import Foundation
import GRDB
import SQLiteStore
import Statechart
import StoreSuite
import Testing
import WorkflowStore

/// Tests the walk through tables and indexes in slices.
@Suite struct InspectionTests {
    /// A store to which instances are added, each with a timer, an effect, an attempt and a key after all existing
    /// ones.
    private struct GrowingStore {
        let store: SQLiteFileStore
        let writer: any StoreWriter
        private let scribe: Scribe
        private var count: Int64 = 0

        init(_ directory: TemporaryDirectory, _ limits: StoreLimits = StoreLimits()) throws {
            store = try SQLiteFileStore.sqlite(directory, limits)
            writer = try store.writer()
            scribe = Scribe(writer)
            scribe.apply("order")
        }

        mutating func add(_ instances: Int, events: Int = 1) throws {
            var timers: [TimerRecord] = []
            var keys: [KeyRecord] = []
            var attempts: [AttemptRecord] = []
            for _ in 0..<instances {
                count += 1
                let name = "order-\(1_000_000 + count)"
                scribe.start(name)
                for _ in 1..<events { scribe.send(name) }
                let effect = scribe.begin(name, queue: "task:\(name)")
                attempts.append(
                    AttemptRecord(
                        instanceID: effect.instanceID, effect: effect.id, name: effect.name, attempt: 1,
                        begun: effect.due, ended: effect.due, outcome: "timeout"))
                guard let instance = scribe.instances[name], let key = RequestKey(text: name) else { continue }
                let due = TimerKey(due: Timestamp(rawValue: count), position: instance.head, ordinal: 1)
                timers.append(TimerRecord(key: due, instanceID: instance.id, event: "ring"))
                keys.append(KeyRecord(key: key, scope: .instance(instance.id), position: instance.head))
            }
            var batch = scribe.take()
            batch.armedTimers = timers
            batch.keys = keys
            batch.attempts = attempts
            try writer.commit(batch)
        }
    }

    /// Returns a store that is read in slices of ten rows, with eleven more rows before each.
    private func growing(_ directory: TemporaryDirectory) throws -> GrowingStore {
        var limits = StoreLimits()
        limits.sliceRows = 10
        var growing = try GrowingStore(directory, limits)
        try growing.add(30, events: 3)
        return growing
    }

    private static let bound = 2_000

    @Test(.timeLimit(.minutes(20))) func tablesThatGrowAreNotChased() async throws {
        let directory = try TemporaryDirectory()
        var growing = try growing(directory)
        var next: InspectionPlace? = .start
        var slices = 0
        while let place = next, slices < Self.bound {
            try growing.add(11)
            next = try await growing.store.inspectCopies(after: place).next
            slices += 1
        }
        #expect(next == nil && slices > 10)
        try growing.writer.close()
    }

    @Test(.timeLimit(.minutes(20))) func indexesThatGrowAreNotChased() async throws {
        let directory = try TemporaryDirectory()
        var growing = try growing(directory)
        var next: InspectionPlace? = .start
        var slices = 0
        while let place = next, slices < Self.bound {
            try growing.add(11)
            let slice = try await growing.store.inspectIndexes(after: place)
            #expect(slice.inconsistencies == [])
            next = slice.next
            slices += 1
        }
        #expect(next == nil && slices > 10)
        try growing.writer.close()
    }

    /// Returns the errors in the order of every table and index of a file.
    private func disorders(_ directory: TemporaryDirectory) async throws -> [String] {
        let file = try SQLiteFile.open(at: directory.store)
        var found: [String] = []
        var copies: InspectionPlace? = .start
        while let place = copies {
            let slice = try await file.inspectCopies(after: place)
            found += slice.inconsistencies.map(\.message)
            copies = slice.next
        }
        var indexes: InspectionPlace? = .start
        while let place = indexes {
            let slice = try await file.inspectIndexes(after: place)
            found += slice.inconsistencies.map(\.message)
            indexes = slice.next
        }
        let journal = try await file.inspectJournal(.min ... .max, of: .min ... .max)
        if journal.disorder != nil { found.append("the table 'journal' is not in order") }
        try file.close()
        return found.filter { $0.contains("in order") || $0.contains("twice") }
    }

    /// Exchanges the places of the first two entries of a tree, or puts the first in both.
    private func damage(_ directory: TemporaryDirectory, _ name: String, isTwice: Bool) throws {
        let root = try RawFile(directory).value("SELECT rootpage FROM sqlite_master WHERE name = '\(name)'")
        var bytes = try Data(contentsOf: URL(filePath: directory.store))
        func number(at place: Int, _ count: Int) -> Int {
            bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
        }
        var page = (try #require(root.flatMap { Int($0) }) - 1) * 4_096
        // Down to the first leaf (https://sqlite.org/fileformat.html, section 1.6): a cell begins with its child.
        while bytes[page] == 2 || bytes[page] == 5 {
            page = (number(at: page + number(at: page + 12, 2), 4) - 1) * 4_096
        }
        let (first, second) = (bytes[page + 8..<page + 10], bytes[page + 10..<page + 12])
        bytes.replaceSubrange(page + 8..<page + 12, with: isTwice ? first + first : second + first)
        try directory.write(bytes, to: "store.db")
    }

    @Test(arguments: [
        ("timer", "the table 'timer'"), ("dedupe", "the table 'dedupe'"), ("snapshot", "the table 'snapshot'"),
        ("effect", "the table 'effect'"), ("attempt", "the table 'attempt'"),
        ("effect_queue", "the index 'effect_queue'"),
        ("journal", "the table 'journal'"), ("instance", "the table 'instance'"),
        ("sqlite_autoindex_instance_1", "the index 'sqlite_autoindex_instance_1'"),
        ("instance_list", "the index 'instance_list'"),
    ])
    func whatIsNotInOrderIsFound(tree: String, name: String) async throws {
        let directory = try TemporaryDirectory()
        var growing = try GrowingStore(directory)
        try growing.add(3, events: 600)
        try growing.writer.close()
        #expect(try await disorders(directory) == [])
        let whole = try directory.copyAfterCrash()
        try damage(directory, tree, isTwice: false)
        #expect(try await disorders(directory).contains("\(name) is not in order"))
        try damage(whole, tree, isTwice: true)
        let twice = tree == "journal" ? "is not in order" : "has a row twice"
        #expect(try await disorders(whole).contains("\(name) \(twice)"))
    }
}
