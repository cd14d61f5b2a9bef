import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests streams and cursors of a store with four partitions, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct PartitionedStreamTests {
    private static let machine = """
        id: lamp
        initial: off
        states: {off: {on: {push: on}}, on: {on: {push: off}}}
        """
    private static let names = (0..<16).map { "i-\($0)" }

    private let host: ServerHost

    /// Starts sixteen instances, which have two rows each.
    init() async throws {
        var limits = ServerLimits()
        limits.streamBytes = 1_000
        host = try await ServerHost(stored: FakeStore(partitions: 4), limits: limits)
        _ = try await host.engine.apply(Self.machine, syntax: .yaml)
        for name in Self.names { _ = try await host.engine.start(StartCommand(machine: "lamp", instance: name)) }
        try await push()
    }

    private func push() async throws {
        for name in Self.names {
            _ = try await host.engine.send(SendCommand(instance: name, event: Event(name: "push", data: nil)))
        }
    }

    private func reader(
        _ target: String, _ headers: [(name: String, value: String)] = []
    ) async throws -> EventReader {
        try await onOwnThread { [address = host.address] in try EventReader(target, of: address, headers: headers) }
    }

    /// Returns the next rows of a stream, as `instance seq`, each with its cursor.
    private func told(_ reader: EventReader, _ count: Int) async throws -> [(row: String, id: String)] {
        try await onOwnThread {
            var told: [(row: String, id: String)] = []
            while told.count < count, let message = try reader.nextEvent() {
                guard message.event == "transition", let data = message.data else { continue }
                let item = try JSONReader.value(from: data).object ?? JSONObject()
                // A row has the same cursor as its event.
                guard let id = message.id, item["cursor"]?.string == id else { break }
                told.append(("\(item["instance"]?.string ?? "") \(JSONWriter.string(item["seq"] ?? .null))", id))
            }
            return told
        }
    }

    private static func rows(_ seqs: ClosedRange<Int>) -> Set<String> {
        Set(names.flatMap { name in seqs.map { "\(name) \($0)" } })
    }

    @Test func aStreamTellsTheRowsOfAllPartitionsOnce() async throws {
        let reader = try await reader("/v1/stream?after=start")
        let before = try await told(reader, 32)
        #expect(Set(before.map(\.row)) == Self.rows(1...2))
        for name in Self.names {
            #expect(before.map(\.row).filter { $0.hasPrefix("\(name) ") } == ["\(name) 1", "\(name) 2"])
        }
        try await push()
        let after = try await told(reader, 16)
        #expect(Set(after.map(\.row)) == Self.rows(3...3))
        // Every cursor names a place in each partition: the rest comes, wherever the stream was cut.
        let all = before + after
        for place in stride(from: 0, to: all.count - 1, by: 5) {
            let again = try await self.reader("/v1/stream", [(EventStream.lastEventHeader, all[place].id)])
            let rest = try await told(again, all.count - place - 1)
            #expect(Set(rest.map(\.row)) == Set(all[(place + 1)...].map(\.row)), "after \(place)")
        }
        try await host.stop()
    }

    @Test func aStreamFromNowOnTellsWhatComesInAnyPartition() async throws {
        let reader = try await reader("/v1/stream")
        try await push()
        #expect(Set(try await told(reader, 16).map(\.row)) == Self.rows(3...3))
        let since = try await self.reader("/v1/stream?after=2020-01-01T00:00:00.000Z")
        #expect(Set(try await told(since, 48).map(\.row)) == Self.rows(1...3))
        try await host.stop()
    }

    @Test func aCursorOfARowIsOfItsInstanceOnly() async throws {
        let history = try await host.answer(to: RawRequest("GET", "/v1/instances/i-3/history"))
        let items = try JSONReader.value(from: history.text).object?["items"]
        guard case .array(let rows)? = items, let cursor = rows.first?.object?["cursor"]?.string else {
            Issue.record("there is no row")
            return
        }
        let refused = try await host.answer(to: RawRequest("GET", "/v1/stream?after=\(cursor)"))
        #expect(refused.status == 400 && refused.text.contains("a stream of all instances"))
        let own = try await reader("/v1/instances/i-3/stream?after=\(cursor)")
        #expect(try await told(own, 1).map(\.row) == ["i-3 2"])
        // A place in all history is one in each instance's.
        let all = try await told(try await reader("/v1/stream?after=start"), 32)
        let place = try #require(all.firstIndex { $0.row == "i-3 1" })
        let other = try await reader("/v1/instances/i-3/stream?after=\(all[place].id)")
        #expect(try await told(other, 1).map(\.row) == ["i-3 2"])
        try await host.stop()
    }

    @Test func statisticsCountTheRowsOfAllPartitions() async throws {
        let query = StatisticsQuery(machine: "lamp")
        var told = try await host.engine.statistics(query, by: .test)
        while !told.isComplete { told = try await host.engine.statistics(query, by: .test) }
        #expect(told.rows == 32)
        try await push()
        repeat { told = try await host.engine.statistics(query, by: .test) } while !told.isComplete
        #expect(told.rows == 48)
        try await host.stop()
    }
}
