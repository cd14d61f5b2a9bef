import Foundation
import Testing
import ThreadTesting

@testable import WorkflowCEL

/// Tests time zones, which are read from the system's files.
@Suite(.ownThreads) struct TimeZoneTests {
    /// Foundation has its own database, which may be of another year: some zones have another history there.
    @Test func offsetsAreThoseOfFoundation() throws {
        let names = TimeZoneFolder.system.names
        try #require(names.count > 500)
        var generator = SystemRandomNumberGenerator()
        var different: [String: String] = [:]
        for name in names {
            guard let theirs = TimeZone(identifier: name) else { continue }
            let ours = try #require(TimeZoneFolder.system.zone(name), "\(name)")
            for _ in 0..<200 {
                // The moments are from 1970 to 2100.
                let moment = Int64.random(in: 0..<4_102_444_800, using: &generator)
                let expected = Int64(theirs.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment))))
                let offset = ours.offset(at: moment)
                if offset != expected { different[name] = "\(moment): \(offset), not \(expected)" }
            }
        }
        #expect(different.count <= 12, "\(different)")
    }

    /// The first and the last possible times, and two between them.
    private static let moments: [Int64] = [-62_135_596_800, 0, 1_800_000_000, 253_402_300_799]

    @Test(arguments: ["Europe/Paris", "America/New_York", "Asia/Kathmandu"]) func brokenFilesAreNone(name: String)
        throws
    {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)")))
        #expect(TimeZoneData(tzif: bytes) != nil)
        for count in bytes.indices { #expect(TimeZoneData(tzif: Array(bytes.prefix(count))) == nil, "\(count) bytes") }
        for place in bytes.indices {
            for mask in [0x01, 0x80, 0xFF] as [UInt8] {
                var changed = bytes
                changed[place] ^= mask
                // The changed zone answers every question, rightly or wrongly.
                guard let zone = TimeZoneData(tzif: changed) else { continue }
                for moment in Self.moments { _ = zone.offset(at: moment) }
            }
        }
    }

    @Test(arguments: [
        "", "/", "Europe", "Europe/", "../zoneinfo/UTC", "/usr/share/zoneinfo/UTC", "right/UTC", "tzdata.zi",
        "Europe/Paris\0", "Europe//../Paris", "Europe//Paris", "Europe/Paris/", "/Europe/Paris", "zone1970.tab",
        String(repeating: "UTC", count: 30),
    ])
    func whatIsNoNameOfAZoneLeadsToNoFile(name: String) {
        #expect(TimeZoneFolder.system.zone(name) == nil)
    }

    @Test func withoutADatabaseThereIsNoZone() {
        let folder = TimeZoneFolder("/nonexistent")
        #expect(folder.isEmpty && folder.names.isEmpty && folder.zone("Europe/Paris") == nil)
    }

    @Test(arguments: [
        ("CET-1", "2026-07-01T00:00:00Z", 3600), ("<+0530>-5:30", "2026-07-01T00:00:00Z", 19_800),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3600),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 7200),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 3600),
        // South of the equator.
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39_600),
        ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 36_000),
        // Winter is what is changed to.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-01T00:00:00Z", 0),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01T00:00:00Z", 3600),
        // Hours before midnight.
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600),
        // The 60th day is 1 March, in leap years too; counted from 0, day 59 is 29 February then.
        ("XST5XDT,J60,J300", "2024-03-01T06:59:59Z", -18_000), ("XST5XDT,J60,J300", "2024-03-01T07:00:00Z", -14_400),
        ("XST5XDT,59,299", "2024-02-29T07:00:00Z", -14_400), ("XST5XDT,59,299", "2023-03-01T06:59:59Z", -18_000),
        ("XST5XDT,59,299", "2023-03-01T07:00:00Z", -14_400),
    ])
    func rulesSayWhatHoldsInYearsToCome(rule: String, moment: String, offset: Int64) throws {
        guard case .timestamp(let time) = try Value.moment(moment) else { return }
        let rule = try #require(TimeZoneRule(Array(rule.utf8)[...]))
        #expect(rule.offset(at: time.seconds) == offset)
    }

    @Test(arguments: [
        "", "CET", "C-1", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
        "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0,", "CET-200", "<+03-3", "CET-1CEST,J0,J300",
        "CET-1CEST,366,300", "CET-1:60",
    ])
    func brokenRulesAreNone(rule: String) {
        #expect(TimeZoneRule(Array(rule.utf8)[...]) == nil)
    }
}
