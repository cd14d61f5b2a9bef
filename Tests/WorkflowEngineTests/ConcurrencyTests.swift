import IdentityTesting
import NaiveStatechart
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests many callers at once on a real store; meant for ThreadSanitizer too.
@Suite struct ConcurrencyTests {
    private static let tasks = 8

    @Test(.timeLimit(.minutes(20))) func ofManySendersThatExpectTheSameSeqExactlyOneWins() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        try await running.start("lamp-1")
        let seqs: ClosedRange<Int64> = 1...40
        let winners = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<Self.tasks {
                group.addTask {
                    var won: [Int64] = []
                    for seq in seqs {
                        do throws(Rejection) {
                            #expect(try await running.flip("lamp-1", expecting: seq).seq.rawValue == seq + 1)
                            won.append(seq)
                        } catch {
                            #expect(error.kind == "preconditionFailed")
                        }
                    }
                    return won
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(winners.sorted() == Array(seqs))
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func ofManyStartsOfOneNameExactlyOneWins() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        let won = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<Self.tasks {
                group.addTask {
                    var won: [String] = []
                    for number in 0..<20 {
                        do throws(Rejection) {
                            try await running.start("lamp-\(number)")
                            won.append("lamp-\(number)")
                        } catch {
                            #expect(error.kind == "instanceExists")
                        }
                    }
                    return won
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(won.sorted() == (0..<20).map { "lamp-\($0)" }.sorted())
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whatManySendersAreToldIsWhatIsInTheFile() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        let names = (0..<3).map { "lamp-\($0)" }
        for name in names { try await running.start(name) }
        let told = try await withThrowingTaskGroup(of: [Told].self) { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    var told: [Told] = []
                    for turn in 0..<60 {
                        let marker = Int64(task * 1_000 + turn)
                        let name = names[(task + turn) % names.count]
                        let seq = try await running.flip(name, data: .int(marker)).seq.rawValue
                        told.append(Told(instance: name, seq: seq, marker: marker))
                    }
                    return told
                }
            }
            group.addTask {
                try await Self.read(names, of: running.engine)
                return []
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try await running.stop()
        try await Self.expect(told, in: folder)
    }

    /// The answer to one sender about one event.
    private struct Told {
        let instance: String
        let seq: Int64
        let marker: Int64
    }

    /// Reads in all ways while others write, and expects consistent results.
    private static func read(_ names: [String], of engine: Engine) async throws {
        for turn in 0..<100 {
            let record = try await engine.instance(named: names[turn % names.count]).record
            let query = HistoryQuery(
                instance: record.id, head: record.head, headSeq: record.seq, seqs: 1...record.seq.rawValue,
                isReversed: turn % 2 == 0)
            let rows = try await engine.history(query, of: record, by: .test)
            #expect(rows.first?.seq == (query.isReversed ? record.seq : Seq(rawValue: 1)))
            let moves = try await engine.moves(of: rows, in: record, query: query, by: .test)
            #expect(moves.count == rows.count)
            #expect(try await engine.acceptance(of: record.name, by: .test).events.count == 2)
            #expect(try await engine.instances(InstanceQuery(limit: 10), by: .test).views.count == names.count)
        }
    }

    /// Expects that the file has exactly these events, by instance and seq, and that they lead to its instances.
    private static func expect(_ told: [Told], in folder: StoreFolder) async throws {
        let store = try folder.open()
        let machine = try DefinitionReader.read(RunningEngine.definition).machine
        for (name, told) in Dictionary(grouping: told, by: \.instance) {
            let markers = Dictionary(told.map { ($0.seq, $0.marker) }) { first, _ in first }
            let record = try #require(try await store.instance(named: name))
            #expect(record.seq.rawValue == Int64(markers.count + 1))
            let rows = try await store.history(
                HistoryQuery(
                    instance: record.id, head: record.head, headSeq: record.seq, seqs: 1...record.seq.rawValue,
                    isReversed: false))
            var history = try NaiveHistory(of: record, machine: machine, version: 1)
            for row in rows {
                #expect(try history.follow(row) == nil)
                #expect(row.data == markers[row.seq.rawValue].map { String($0) })
            }
            #expect(try history.differences(from: record.state) == [])
        }
        try store.writer().close()
    }

    @Test(.timeLimit(.minutes(20))) func aStopAnswersEverybodyAndLosesNothing() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        for task in 0..<Self.tasks { try await running.start("lamp-\(task)") }
        let (progress, continuation) = AsyncStream.makeStream(of: Void.self)
        let last = await withTaskGroup(of: (String, Int64).self) { group in
            for task in 0..<Self.tasks {
                group.addTask {
                    var seq: Int64 = 1
                    do throws(Rejection) {
                        while true {
                            seq = try await running.flip("lamp-\(task)").seq.rawValue
                            continuation.yield()
                        }
                    } catch {
                        #expect(error.kind == "draining")
                    }
                    return ("lamp-\(task)", seq)
                }
            }
            var answers = 0
            for await _ in progress {
                answers += 1
                if answers == 100 { break }
            }
            await running.beginStop()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        try await running.ended()
        let store = try folder.open()
        #expect(store.recovered.wasClean)
        for (name, seq) in last { #expect(try await store.instance(named: name)?.seq.rawValue == seq) }
        try store.writer().close()
    }

    @Test(.timeLimit(.minutes(20))) func whoWaitsForHistoryHearsOfEveryChange() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        let id = try await running.start("lamp-1").record.id
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    // Subscribe, read, wait: in this order nothing is missed.
                    while true {
                        let changes = try #require(running.engine.feed.changes(of: id))
                        if try await running.engine.instance(named: "lamp-1").record.seq.rawValue == 50 { return }
                        for await _ in changes { break }
                    }
                }
            }
            group.addTask { for _ in 2...50 { _ = try await running.flip("lamp-1") } }
            try await group.waitForAll()
        }
        try await running.stop()
    }
}
