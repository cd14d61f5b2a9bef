import Foundation
import IdentityTesting
import Statechart
import Testing
import WorkflowAPI
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEngine  // What a row exited and entered is made there alone.
@testable import WorkflowServer  // What it writes is no part of what the daemon uses.

/// Tests the written form of rows.
struct StreamTextTests {
    private static func row(_ kind: JournalKind, _ change: (inout JournalRecord) -> Void = { _ in }) -> JournalRecord {
        var row = JournalRecord(
            position: Position(rawValue: 12), instanceID: InstanceID(rawValue: 1), machineID: MachineID(rawValue: 1),
            seq: Seq(rawValue: 3), previous: nil, at: Timestamp(rawValue: 1_785_490_200_123), real: nil, kind: kind,
            event: "say \"it\"", data: nil, from: "a", to: "b.c,b.d", actor: nil, key: nil, digest: .zero)
        change(&row)
        return row
    }

    private static let rows: [JournalRecord] =
        JournalKind.allCases.map { row($0) } + [
            row(.started) { $0.from = "" },
            row(.event) {
                $0.data = #"{"a":[1,2.0,"\n"],"ü":null}"#
                $0.actor = "uid:1(x)"
                $0.key = RequestKey(text: "k 1")?.bytes
            },
            row(.timer) { $0.real = Timestamp(rawValue: 1_785_490_200_999) },
            row(.failed) {
                $0.note = #"{"failure":{"type":"t"}}"#
                $0.key = RequestKey(text: "019aa000-0000-7000-8000-000000000001")?.bytes
            },
        ]

    /// The server writes a record in the same form as the client's type.
    @Test(arguments: rows) func aRowHasTheFormOfItsWireType(row: JournalRecord) throws {
        let moves = StateMoves(exited: ["a"], entered: ["b", "b.c", "b.d"])
        for (moves, isRetry) in [(moves, true), (nil, false)] {
            let text = JSONWriter.string(HistoryRow(row, generation: 2, moves: moves, isRetry: isRetry))
            let item = try HistoryItem(json: try JSONReader.value(from: text), unknownFields: .refused)
            #expect(JSONWriter.string(item) == text)
            #expect(item.kind == row.kind.rawValue && item.from == SnapshotText.leafPaths(in: row.from))
            #expect(item.to == ["b.c", "b.d"] && item.entered == moves?.entered)
            #expect(item.retry == (isRetry ? true : nil))
            #expect(item.at.text == "2026-07-31T09:30:00.123Z" && item.seq == 3 && item.event == row.event)
            #expect(RowCursor(text: item.cursor) == RowCursor(generation: 2, position: row.position))
        }
    }

    @Test func anEventHasItsFrame() throws {
        var text = StreamText(capacity: 100)
        for seq in [1, 2] as [Int64] {
            let listed = ListedRow(
                row: Self.row(.event) { $0.seq = Seq(rawValue: seq) }, instance: "o-1", machine: "order",
                version: MachineVersion(rawValue: 7), isRetry: false)
            listed.lend { text.add($0, generation: 1) }
        }
        let parts = String(decoding: text.bytes, as: UTF8.self).components(separatedBy: "\n\n")
        #expect(parts.count == 3 && parts[2] == "")
        let start = "id: MS4wLjEy\nevent: transition\ndata: "
        #expect(
            parts[1] == start + #"{"instance":"o-1","machine":"order","version":7,"seq":2,"#
                + #""at":"2026-07-31T09:30:00.123Z","kind":"event","event":"say \"it\"","from":["a"],"#
                + #""to":["b.c","b.d"],"cursor":"MS4wLjEy"}"#)
        #expect(parts[0].hasPrefix(start))
        let item = try StreamItem(
            json: try JSONReader.value(from: String(parts[1].dropFirst(start.count))), unknownFields: .refused)
        #expect(item.instance == "o-1" && item.version == 7 && item.row.seq == 2)
    }

    @Test func aCursorIsTheBase64OfItsNumbers() throws {
        for generation in [1, 12, 99_999] as [Int64] {
            for number in [1, 9, 10, 123, 1 << 40] as [Int64] {
                let cursor = RowCursor(generation: generation, position: Position(rawValue: number))
                let base64 = Data("\(generation).0.\(number)".utf8).base64EncodedString()
                #expect(cursor.text == base64.replacingOccurrences(of: "=", with: ""))
                #expect(RowCursor(text: cursor.text) == cursor)
            }
        }
        let beginning = RowCursor(generation: 1, position: .beginning(of: .first))
        #expect(RowCursor(text: beginning.text) == beginning)
        #expect(RowCursor(text: "MS4wLi0x") == nil)
    }

    @Test func streamsAndWaitingRequestsLeaveRoom() throws {
        var limits = ServerLimits()
        #expect(limits.streams == 500)
        limits.streams = 2
        limits.connections = 203
        let answers = LastingAnswers(limits: limits)
        let first = try answers.stream(for: nil)
        let second = try answers.stream(for: nil)
        let refused = #expect(throws: Problem.self) { try answers.stream(for: nil) }
        #expect(refused?.type == .overloaded && refused?.detail == "2 streams are open already")
        let poll = try answers.poll(for: nil)
        let full = #expect(throws: Problem.self) { try answers.poll(for: nil) }
        #expect(full?.detail == "3 streams and requests that wait are open already")
        first.end()
        first.end()
        #expect(answers.streams == 1)
        _ = try answers.poll(for: nil)
        withExtendedLifetime((second, poll)) {}
    }
}
