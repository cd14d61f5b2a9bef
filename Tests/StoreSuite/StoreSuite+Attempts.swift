import Statechart
import StoreTesting
import Testing
import WorkflowStore

extension StoreSuite {
    static let attempts = [
        Check(name: "of the attempts at an effect the first ten and the last ninety are kept") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            scribe.send("alpha")
            let (first, second) = (scribe.begin("alpha"), scribe.begin("alpha"))
            try scribe.commit(writer)
            try Self.write([attempt(1, of: second), attempt(2, of: second)], writer)
            for numbers in [1...1, 2...9, 10...10, 11...99, 100...100, 101...101, 102...250] as [ClosedRange<Int64>] {
                try Self.write(numbers.map { attempt($0, of: first) }, writer)
                let last = numbers.upperBound
                let kept = (1...last).filter { $0 <= 10 || $0 > last - 90 }
                let found = try await store.attempts(of: first.id, instance: first.instanceID)
                #expect(found == kept.map { attempt($0, of: first) }, "after \(last)")
                #expect(try writer.attempt(last, of: first.id) == found.last)
                #expect(try writer.attempt(last + 1, of: first.id) == nil)
            }
            // Attempts from the gap between, which come late.
            try Self.write([attempt(50, of: first), attempt(160, of: first), attempt(161, of: first)], writer)
            let found = try await store.attempts(of: first.id, instance: first.instanceID).map(\.attempt)
            #expect(found == Array(1...10) + Array(161...250))
            let others = try await store.attempts(of: second.id, instance: second.instanceID)
            #expect(others == [attempt(1, of: second), attempt(2, of: second)])
        },
        Check(name: "an attempt that is told again is as it was told last, and outlives its effect") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            scribe.send("alpha")
            let effect = scribe.begin("alpha")
            try scribe.commit(writer)
            var late = attempt(1, of: effect)
            try Self.write([late], writer)
            late.ended = Timestamp(rawValue: 99)
            late.outcome = "late"
            late.error = nil
            try Self.write([late], writer)
            #expect(try await store.attempts(of: effect.id, instance: effect.instanceID) == [late])
            scribe.send("alpha")
            scribe.end(effect, of: "alpha")
            try scribe.commit(writer)
            #expect(try await store.attempts(of: effect.id, instance: effect.instanceID) == [late])
            let beta = try #require(scribe.instances["beta"])
            #expect(try await store.attempts(of: effect.id, instance: beta.id) == [])
            #expect(try await store.attempts(of: effect.id.next, instance: effect.instanceID) == [])
        },
        Check(name: "the attempts of an instance are found behind its rows, those of ended effects too") {
            (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha", "beta"])
            scribe.send("alpha")
            let (first, second) = (scribe.begin("alpha"), scribe.begin("alpha"))
            scribe.send("beta")
            let other = scribe.begin("beta")
            try scribe.commit(writer)
            scribe.send("alpha")
            scribe.end(first, of: "alpha")
            let last = scribe.begin("alpha")
            try scribe.commit(writer)
            var nameless = attempt(2, of: first)
            nameless.name = nil
            try Self.write(
                [nameless, attempt(1, of: first), attempt(1, of: second), attempt(1, of: other), attempt(1, of: last)],
                writer)
            let alpha = try #require(scribe.instances["alpha"])
            let newest = [ListedAttempt(attempt(1, of: last), seq: alpha.seq)]
            let older = [attempt(1, of: first), nameless, attempt(1, of: second)].map {
                ListedAttempt($0, seq: first.seq)
            }
            let page = try await store.attempts(behindRowsFrom: alpha.head, limit: 100)
            #expect(page.attempts == newest + older && page.next == nil)
            // A page ends behind a row.
            let one = try await store.attempts(behindRowsFrom: alpha.head, limit: 1)
            #expect(one.attempts == newest)
            let rest = try await store.attempts(behindRowsFrom: try #require(one.next), limit: 1)
            #expect(rest.attempts == older)
            #expect(try await store.attempts(behindRowsFrom: alpha.head.next, limit: 1).attempts == [])
        },
        Check(name: "an attempt that cannot be breaks a constraint") { (store, writer) async throws in
            let scribe = try scribe(writer, instances: ["alpha"])
            scribe.send("alpha")
            let effect = scribe.begin("alpha")
            try scribe.commit(writer)
            #expect { try Self.write([attempt(0, of: effect)], writer) } throws: { code($0) == .constraint }
            #expect(try await store.attempts(of: effect.id, instance: effect.instanceID) == [])
        },
    ]

    private static func attempt(_ number: Int64, of effect: EffectRecord) -> AttemptRecord {
        AttemptRecord(
            instanceID: effect.instanceID, effect: effect.id, name: effect.name, attempt: number,
            begun: Timestamp(rawValue: number * 10), ended: Timestamp(rawValue: number * 10 + 3), outcome: "timeout",
            error: #"{"message":"☂","type":"timeout"}"#)
    }

    /// Writes attempts in a batch that has nothing else.
    private static func write(_ attempts: [AttemptRecord], _ writer: any StoreWriter) throws {
        guard let partition = attempts.first?.effect.partition else { return }
        var batch = StoreBatch(numbers: writer.numbers(in: partition))
        batch.attempts = attempts
        try writer.commit(batch)
    }
}
