import Foundation
import SQLiteStore
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowStore

/// Tests a damaged last row of the table `audit`, by which deleted rows are known. If it cannot be read, everything
/// else is still compared.
@Suite(.timeLimit(.minutes(20)), .ownThreads) struct DamagedDeletionTests {
    @Test(arguments: ["at_ms = -1", "at_ms = 9000000000000000000", "uuid = x'00'", "digest = x''"])
    func theRestIsCompared(_ damage: String) async throws {
        let bytes = try await EveryRowFile.make()
        let file = WrittenFile(in: try StoreFolder(isInMemory: true))
        try bytes.write(to: URL(filePath: file.path))
        try file.forge(
            "UPDATE audit SET \(damage) WHERE position = (SELECT max(position) FROM audit);"
                + "UPDATE instance SET context = '{}' WHERE name = 'plain';"
                + "UPDATE queue SET set_ms = -1")
        let findings = try await file.findings()
        let column = damage.prefix { $0 != " " }
        func tells(_ parts: String...) -> Bool { findings.contains { line in parts.allSatisfy { line.contains($0) } } }
        #expect(tells("a row of", "'\(column)'", "'audit'"), "\(findings)")
        #expect(tells("plain"), "\(findings)")
        #expect(tells("'set_ms'", "'queue'"), "\(findings)")
        #expect(!tells("could be compared") && !tells("could not be compared"), "\(findings)")
    }
}
