import Foundation
import Statechart
import Testing
import WorkflowStore

/// Tests the values of docs/digests.md, which another program computed.
@Suite struct DigestTests {
    private static let instance = ChainInstance(
        uuid: UniqueID(bytes: Array(0..<16)), name: "order-1", salt: Salt(bytes: Array(16..<32)))
    private static let machine = ChainMachine(
        name: "lamp", version: 3, digest: Digest(of: "id: lamp\n".utf8), semantics: 1)

    private static let snapshot: SnapshotRecord = {
        var digests = DigestBuffer()
        return digests.snapshot(
            of: InstanceRecord(
                id: InstanceID(rawValue: 9), uuid: UniqueID(bytes: Array(0..<16)), namespace: .default,
                name: "order-1", machineID: MachineID(rawValue: 9), status: .running, seq: Seq(rawValue: 256),
                head: Position(rawValue: 99),
                state: SnapshotText(configuration: "on", context: #"{"lit":true}"#, memory: "{}", armed: "[]"),
                entered: Timestamp(rawValue: 9), salt: Salt(bytes: Array(16..<32)), digest: .zero,
                created: Timestamp(rawValue: 9), updated: Timestamp(rawValue: 9)))
    }()

    private static func row(
        _ seq: Int64, _ kind: JournalKind, at: Int64, _ event: String, to: String, salt: RowSalt = .derived
    ) -> JournalRecord {
        JournalRecord(
            position: Position(rawValue: 70 + seq), instanceID: InstanceID(rawValue: 9),
            machineID: MachineID(rawValue: 9), seq: Seq(rawValue: seq), previous: nil, at: Timestamp(rawValue: at),
            real: nil, kind: kind, event: event, data: nil, from: kind == .started ? "" : "off", to: to, actor: nil,
            key: nil, salt: salt, digest: .zero)
    }

    private static var started: JournalRecord {
        var row = row(1, .started, at: 1_700_000_000_000, "init", to: "off")
        row.key = [0] + Array("first".utf8)
        return row
    }

    private static var event: JournalRecord {
        var row = row(2, .event, at: 1_700_000_000_001, "flip", to: "on")
        row.real = Timestamp(rawValue: 1_700_000_000_005)
        row.data = #"{"card":"tok_9"}"#
        row.key = UniqueID(text: "018bcfe5-687b-7000-8000-00000000002a")?.bytes
        row.actor = "uid:1000(shop)"
        return row
    }

    private static func digest(_ row: JournalRecord, after previous: Digest?, _ snapshot: Digest? = nil) -> Digest {
        var digests = DigestBuffer()
        return digests.digest(
            row: row, previous: previous, instance: instance, machine: machine, snapshot: snapshot)
    }

    @Test func digestsAreThoseOfThePage() throws {
        let first = Self.digest(Self.started, after: nil)
        #expect(first.text == "434f081af2bdcb893ae85def216254f5cfafd3bedc462c8aa24132ab9c5843dc")
        let second = Self.digest(Self.event, after: first)
        #expect(second.text == "9096dfe940198a9bd06cccd953a2bbf38fb74009d1734cc6ad196436c8c95da3")
        let snapshot = Self.snapshot
        #expect(snapshot.salt == Salt(bytes: bytes("5189b27f768675704bebfd01296e96d7")))
        #expect(snapshot.digest.text == "d17f5f0c3aa69c4bc6f0056fafd0f15241e0f9d08adc29625a933609d98d9e5e")
        let third = Self.digest(
            Self.row(256, .event, at: 1_700_000_000_002, "flip", to: "on"), after: second, snapshot.digest)
        #expect(third.text == "73fde1153b2f735fd5ce879007ff4275d6d5f43263406f1b33406cd0ac1acfef")
        let page = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../docs/digests.md").standardized,
            encoding: .utf8)
        for digest in [first, second, third, snapshot.digest] { #expect(page.contains("`\(digest.text)`")) }
    }

    /// A redacted row has the digest that it had with its content.
    @Test func aRedactedRowKeepsItsDigest() throws {
        var start = Self.started
        start.key = nil
        start.salt = .redacted(
            commitment: Digest(bytes: bytes("28537bcc21dc4d64ea7a06e205fc5b900f651109c38a9777bd5c16f013fc4137")))
        #expect(Self.digest(start, after: nil) == Self.digest(Self.started, after: nil))
        var event = Self.event
        event.data = nil
        event.salt = .redacted(
            commitment: Digest(bytes: bytes("1b854862950576ac48a6215438b41056031c7c33344f7bd25d232e681611657c")))
        #expect(Self.digest(event, after: .zero) == Self.digest(Self.event, after: .zero))
        event.salt = .redacted(commitment: .zero)
        #expect(Self.digest(event, after: .zero) != Self.digest(Self.event, after: .zero))
    }

    /// A salt in the row replaces the derived one.
    @Test func aKeptSaltIsTaken() {
        var kept = Self.event
        kept.salt = .kept(Salt(bytes: bytes("3d5b72b7dfae957ed17a1415ab0bd5cc")))
        #expect(Self.digest(kept, after: .zero) == Self.digest(Self.event, after: .zero))
        kept.salt = .kept(Salt(bytes: Array(0..<16)))
        #expect(Self.digest(kept, after: .zero) != Self.digest(Self.event, after: .zero))
    }

    /// Each part of a row counts, and a missing part differs from an empty one.
    @Test func everyPartCounts() {
        let changes: [(inout JournalRecord) -> Void] = [
            { _ in }, { $0.seq = $0.seq.next }, { $0.at = Timestamp(rawValue: 1) }, { $0.real = nil },
            { $0.kind = .sent }, { $0.kind = .started }, { $0.event = "flop" }, { $0.from = "" }, { $0.to = "" },
            { $0.data = nil }, { $0.data = "" }, { $0.note = "" }, { $0.note = "{}" }, { $0.key = nil },
            { $0.key = [0x00, 0x41] }, { $0.actor = nil }, { $0.actor = "" }, { ($0.event, $0.from) = ("flipo", "ff") },
        ]
        let digests = changes.map { change in
            var row = Self.event
            change(&row)
            return Self.digest(row, after: .zero)
        }
        #expect(Set(digests).count == changes.count)
        var moved = Self.event
        moved.position = Position(rawValue: 1_000)
        moved.instanceID = InstanceID(rawValue: 1_000)
        moved.machineID = MachineID(rawValue: 1_000)
        moved.previous = Position(rawValue: 999)
        #expect(Self.digest(moved, after: .zero) == digests[0])
        #expect(Self.digest(Self.event, after: nil) != digests[0])
        #expect(Self.digest(Self.event, after: .zero, .zero) != digests[0])
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
