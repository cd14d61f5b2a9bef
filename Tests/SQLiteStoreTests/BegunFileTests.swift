import Foundation
import SQLiteStore
import StoreTesting
import Testing
import WorkflowStore

/// Tests the file beside a database in which begun attempts are recorded, as the next process reads it.
@Suite struct BegunFileTests {
    private let directory: TemporaryDirectory
    private let store: SQLiteFileStore

    private static let name = "store.db.begun"

    init() throws {
        directory = try TemporaryDirectory()
        store = try SQLiteFileStore.sqlite(directory)
    }

    private static func attempt(_ effect: Int64, round: Int64 = 0, number: Int64 = 1) -> AttemptBegin {
        AttemptBegin(
            effect: Position(rawValue: effect), round: round, number: number,
            begun: Timestamp(rawValue: 1_700_000_000_000))
    }

    private func newLog(in boot: String = "b1") -> any AttemptLog { store.attemptLog(boot: boot) }

    /// Returns the attempts that the next process finds.
    private func left() async -> [AttemptBegin] { await newLog().unended().map(\.begin) }

    private func line(_ word: String, generation: Int64? = nil, boot: String = "b1", _ numbers: String) -> String {
        "\(word) \(store.identity.uuid.text) \(generation ?? store.identity.generation) \(boot) \(numbers)\n"
    }

    private func write(_ text: String) throws { try directory.write(Data(text.utf8), to: Self.name) }

    @Test func whatHasNotEndedIsFound() async throws {
        let log = newLog()
        #expect(await log.unended().isEmpty)
        #expect(directory.size(of: Self.name) == nil)
        for effect: Int64 in 2...4 { #expect(await log.began(Self.attempt(effect))) }
        await log.ended(Self.attempt(3))
        #expect(await left() == [Self.attempt(2), Self.attempt(4)])
        await log.ended(Self.attempt(2))
        await log.ended(Self.attempt(4))
        #expect(await left().isEmpty)
        #expect(directory.size(of: Self.name) == 0)
        await log.close()
        #expect(directory.size(of: Self.name) == nil)
    }

    @Test func whatAnEarlierProcessLeftIsForgottenOnce() async throws {
        #expect(await newLog().began(Self.attempt(2)))
        let log = newLog()
        #expect(await log.unended() == [InterruptedAttempt(Self.attempt(2), isOfThisBoot: true)])
        await log.forget()
        #expect(await left().isEmpty)
        // If the log is closed while an attempt runs, the attempt stays in it.
        #expect(await log.began(Self.attempt(5)))
        await log.close()
        #expect(await left() == [Self.attempt(5)])
    }

    /// The machine was rebooted between the two.
    @Test func aBeginSaysInWhichBootItWas() async throws {
        let log = newLog()
        for effect: Int64 in 2...3 { #expect(await log.began(Self.attempt(effect))) }
        // With attempt 2 ended, the file is as one that is written anew.
        await log.ended(Self.attempt(2))
        #expect(await newLog(in: "b1").unended() == [InterruptedAttempt(Self.attempt(3), isOfThisBoot: true)])
        #expect(await newLog(in: "b2").unended() == [InterruptedAttempt(Self.attempt(3), isOfThisBoot: false)])
    }

    #if os(Linux)
        @Test func theBootIsThatOfTheKernel() throws {
            let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            #expect(SystemBoot.id(orAs: nil) == text.filter(\.isHexDigit) && SystemBoot.id(orAs: nil).count == 32)
        }
    #endif

    /// One long attempt runs beside thousands of short ones.
    @Test func theFileStaysSmall() async throws {
        let log = newLog()
        #expect(await log.began(Self.attempt(2)))
        for effect: Int64 in 3...2_000 {
            #expect(await log.began(Self.attempt(effect)))
            await log.ended(Self.attempt(effect))
        }
        #expect(try #require(directory.size(of: Self.name)) < 100_000)
        #expect(await left() == [Self.attempt(2)])
    }

    /// A kill tears the last line, at each of its bytes.
    @Test func aTornLineIsNoLine() async throws {
        let (first, second) = (line("begin", "2 0 1 1700000000000"), line("begin", "4 0 3 1700000000000"))
        try write(first + second)
        #expect(await left() == [Self.attempt(2), Self.attempt(4, number: 3)])
        for length in 0..<second.utf8.count {
            try write(first + second.prefix(length))
            #expect(await left() == [Self.attempt(2)])
        }
        // The next lines are whole again.
        let log = newLog()
        #expect(await log.began(Self.attempt(6)))
        #expect(await left() == [Self.attempt(6)])
    }

    @Test func whatNoWfdWritesIsPassedOver() async throws {
        let good = line("begin", "2 0 1 1700000000000")
        let bad = [
            "\n", "begin\n", "begin 1 2 3 4 5 6\n", "\u{0}\u{0}\n", line("began", "3 0 1 1700000000000"),
            line("begin", "3 0 1"), line("begin", "3 0 1 1700000000000 0"), line("begin", "0 0 1 1700000000000"),
            line("begin", "-3 0 1 1700000000000"), line("begin", "3 -1 1 1700000000000"),
            line("begin", "3 0 0 1700000000000"), line("begin", "3 0 1 -1"), line("begin", "3 0 1 9223372036854775807"),
            line("begin", "3 0 1 99999999999999999999"), line("begin", "+3 0 1 1700000000000"),
            line("begin", "03 0 1 1700000000000"), line("begin", "3  0 1 1700000000000"),
            line("begin", boot: "", "3 0 1 1700000000000"), line("begin", boot: "b 1", "3 0 1 1700000000000"),
            line("end", "9 0 1 1700000000000"),
        ]
        try write(bad.joined() + good + bad.joined())
        #expect(await left() == [Self.attempt(2)])
        try directory.write(Data([0xFF, 0xFE, 0x0A]) + Data(good.utf8), to: Self.name)
        #expect(await left() == [Self.attempt(2)])
        try write(String(repeating: good, count: 3_000))
        #expect(await left().isEmpty)
    }

    /// The file is beside a restored database, or another one.
    @Test func theBeginsOfAnotherDatabaseSayNothing() async throws {
        try write(line("begin", generation: store.identity.generation + 1, "2 0 1 1700000000000"))
        #expect(await left().isEmpty)
        let other = try TemporaryDirectory()
        let log = try SQLiteFileStore.sqlite(other).attemptLog(boot: "b1")
        #expect(await log.began(Self.attempt(2)))
        try directory.write(Data(contentsOf: URL(filePath: other.path + "/" + Self.name)), to: Self.name)
        #expect(await left().isEmpty)
    }

    /// Nothing is written through a link, and an attempt is made without a record of its begin.
    @Test func aFileThatCannotBeWrittenOnlyKnowsLess() async throws {
        try directory.write(Data("mine".utf8), to: "mine")
        let path = directory.path + "/" + Self.name
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory.path + "/mine")
        let log = newLog()
        #expect(await log.unended().isEmpty)
        #expect(await log.began(Self.attempt(2)) == false)
        await log.ended(Self.attempt(2))
        await log.forget()
        await log.close()
        #expect(directory.size(of: "mine") == 4)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.linkItem(atPath: directory.path + "/mine", toPath: path)
        #expect(await newLog().began(Self.attempt(2)) == false)
        #expect(directory.size(of: "mine") == 4)
    }
}
