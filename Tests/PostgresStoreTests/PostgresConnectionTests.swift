import PostgresTesting
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

@Suite(.ownThreads, .enabled(if: PostgresServer.isWanted)) struct PostgresConnectionTests {
    private static let echo = Statement(
        name: "echo", sql: "SELECT $1::bigint, $2::text, $3::bytea, $4::boolean, $5::text, $6::bytea")

    @Test func everyTypeOfValueComesBackAsItWent() throws {
        let connection = try Connection(TestDatabase().address)
        let request = Request(Self.echo) {
            $0.add(Int64.min)
            $0.add("ü\u{1}")
            $0.add([0, 255])
            $0.add(true)
            $0.add(nil as String?)
            $0.add([UInt8]())
        }
        for _ in 0..<2 {
            let answers = try connection.run([request, request])
            #expect(answers.count == 2)
            for answer in answers {
                var row = AnswerRow(answer, 0)
                #expect(try row.integer(in: .min ... .max) == .min)
                #expect(try row.text() == "ü\u{1}")
                #expect(try row.blob() == [0, 255])
                #expect(try row.flag())
                let isNull = row.skipsNull()
                #expect(isNull)
                #expect(try row.blob() == [])
            }
        }
    }

    @Test func anArrayHasItsElements() throws {
        let connection = try Connection(TestDatabase().address)
        var texts = ArrayColumn(.text)
        texts.append("a,\"{")
        texts.appendNull()
        let unnest = Statement(name: "unnest", sql: "SELECT coalesce(t, 'none') FROM unnest($1::text[]) t")
        let answer = try connection.run([Request(unnest) { $0.add(texts) }])[0]
        #expect(try answer.all { row in try row.text() } == ["a,\"{", "none"])
        let none = try connection.run([Request(unnest) { $0.add(ArrayColumn(.text)) }])[0]
        #expect(none.count == 0)
    }

    /// Neither side may wait for the other: both want to send more than sockets hold.
    @Test(.timeLimit(.minutes(2))) func bothDirectionsMayBeFull() throws {
        let connection = try Connection(TestDatabase().address)
        let text = String(repeating: "x", count: 1 << 20)
        let copy = Statement(name: "copy", sql: "SELECT $1::text")
        let answers = try connection.run(Array(repeating: Request(copy) { $0.add(text) }, count: 40))
        #expect(answers.count == 40)
        #expect(try answers.allSatisfy { try $0.first { row in try row.text() } == text })
    }

    @Test func aRefusalSaysWhichRequestAndTheConnectionStays() throws {
        let connection = try Connection(TestDatabase().address)
        let (one, zero) = (Statement(name: "one", sql: "SELECT 1"), Statement(name: "zero", sql: "SELECT 1 / 0"))
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.run([Request(.begin), Request(one), Request(zero), Request(one), Request(.commit)])
        }
        #expect(failure?.place == 2)
        #expect(failure?.state == "22012")
        // The open transaction is rolled back, and later statements work.
        #expect(try connection.run([Request(one)]).count == 1)
    }

    @Test(.timeLimit(.minutes(1))) func aWaitEnds() throws {
        let connection = try Connection(TestDatabase().address)
        let long = Statement(name: "long", sql: "SELECT pg_sl" + "eep(60)")
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.run([Request(long)], within: .milliseconds(50))
        }
        #expect(failure?.kind == .lost)
        #expect(throws: PostgresFailure.self) { try connection.run([]) }
    }

    @Test(.timeLimit(.minutes(1))) func aServerThatIsNotThereIsReported() throws {
        let failure = #expect(throws: PostgresFailure.self) {
            try Connection(try PostgresAddress("postgres://wfd:secret@127.0.0.1:1/flows"))
        }
        #expect(failure?.kind == .lost)
        #expect(failure?.description.hasPrefix("cannot connect to 'postgres://wfd@127.0.0.1/flows': ") == true)
        #expect(failure?.description.contains("secret") == false)
    }

    @Test(arguments: ["wfd.db", "postgres://[", "mysql://a/b"]) func aURLOfAnotherKindIsRefused(url: String) {
        #expect { try PostgresAddress(url) } throws: { ($0 as? StoreError)?.code == .cannotOpen }
    }

    /// A value that no wfd writes is damage, and never a trap.
    @Test func aForgedRowIsDamage() throws {
        let database = try TestDatabase()
        for change in [
            "next_position = 0", "next_position = -1", "next_instance = (1::bigint << 48) + 1", "last_ms = -1",
            "dedupe_floor = 2", "clock_ms = 9223372036854775807",
            "number = 9223372036854775807, previous = 9223372036854775806",
        ] {
            try database.run("UPDATE batch SET \(change)")
            #expect { try database.log(1).take([.first]) } throws: { ($0 as? StoreError)?.code == .corrupt }
            try database.run(
                """
                UPDATE batch SET number = 1, previous = 0, next_position = 1, next_instance = 1, last_ms = 0,
                    dedupe_floor = 1, clock_ms = 0
                """)
        }
        try database.log(1).take([.first])
    }
}
