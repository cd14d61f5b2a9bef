import ArgumentParser
import SQLiteStore
import WorkflowEngine
import WorkflowStore

struct Scrub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scrub", abstract: "Overwrite what stands in a database where no row does.",
        discussion: """
            What 'wfctl redact' and 'wfctl delete' erase leaves copies in gaps between rows. Scrub the database after \
            them, and every backup that is kept. Stop the daemon before. The file is verified afterwards.
            """)

    @Argument(help: ArgumentHelp("The database, or a backup.", valueName: "file"))
    var file: String

    func run() async throws {
        do {
            let scrub = StoreScrub(path: file) { try await Verification(of: $0).requireNone { _ in } }
            let report = try await scrub.run()
            Console.say(
                """
                \(file): scrubbed, and whole
                  pages: \(report.pages), of which \(report.cleanedPages) had bytes of no row \
                (\(report.cleanedBytes) bytes)
                  events: \(report.contents.events), instances: \(report.contents.instances)
                """)
        } catch {
            Console.tell("error: \(error)")
            throw ExitCode(DaemonExit(error).rawValue)
        }
    }
}
