import ArgumentParser
import Foundation
import SQLiteStore
import WorkflowEngine
import WorkflowStore

struct Compact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact", abstract: "Write a database anew, without free pages and copies of erased rows.",
        discussion: """
            What 'wfctl redact' and 'wfctl delete' erase leaves copies in gaps between rows, and free pages. Compact the \
            database after them, and every backup that is kept. Stop the daemon before. The new file is verified before \
            it takes the place of the old one, so the disk must have room for it.
            """,
        aliases: ["scrub"])

    @Argument(help: ArgumentHelp("The database, or a backup.", valueName: "file"))
    var file: String

    func run() async throws {
        umask(0o077)
        do {
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
