import ArgumentParser
import Foundation
import SQLiteStore
import WorkflowEngine
import WorkflowStore

struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Rewrite a database without free pages and copies of erased rows.",
        discussion: """
            Stop the daemon first. Data erased by 'wfctl redact' and 'wfctl delete' leaves copies in free pages and in \
            gaps between rows. So compact the database after an erasure, and every backup that you keep. wfd verifies \
            the new file before it replaces the old one, so the disk must have room for both.
            """,
        aliases: ["scrub"])

    @Argument(help: ArgumentHelp("The database, or a backup.", valueName: "file"))
    var file: String

    func run() async throws {
        umask(0o077)
        do {
            let file = try DatabaseAddress.file(
                file, for: "wfd compact", advice: "PostgreSQL's VACUUM gives room back")
            let compaction = StoreCompaction(path: file) {
                try await Verification(of: $0).requireNone { _ in }
            }
            let report = try await compaction.run()
            Console.say(
                """
                \(file): compacted, and whole
                  bytes: \(report.after), before \(report.before)
                  events: \(report.contents.events), instances: \(report.contents.instances)
                """)
        } catch {
            Console.tell("error: \(error)")
            throw ExitCode(DaemonExit(error).rawValue)
        }
    }
}
