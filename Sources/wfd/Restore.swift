import ArgumentParser
import Foundation
import WorkflowEngine
import WorkflowStore

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of the database.",
        discussion: """
            The backup is copied and verified first. The database that was there is kept beside it under another name, \
            and cursors of before are answered with the point where both part. Stop the daemon before.
            """)

    @Argument(help: ArgumentHelp("A backup that 'wfctl backup' made.", valueName: "file"))
    var backup: String

    @Option(help: ArgumentHelp("The database.", valueName: "file"))
    var database: String?

    @Flag(help: "Verify the backup, say what would be done, and change nothing.")
    var dryRun = false

    @Option(help: ArgumentHelp("'virtual' makes a copy for tests, which runs with 'wfd --clock virtual' only."))
    var clock: CopyClock?

    /// The clocks that a copy can be made for.
    enum CopyClock: String, ExpressibleByArgument, CaseIterable {
        case virtual
    }

    func run() async throws {
        umask(0o077)
        do {
            let file = try database ?? DefaultPlaces(environment: ProcessInfo.processInfo.environment).databaseFile()
            try await verify()
            let restoration = StoreRestoration(
                backup: backup, database: file, makesFolder: database == nil,
                clock: clock == .virtual ? .virtual : .kept, isDryRun: dryRun)
            Console.say(text(of: try restoration.run(clock: SystemClock().now()), file))
        } catch {
            Console.tell("error: \(error)")
            throw ExitCode(DaemonExit(error).rawValue)
        }
    }

    /// Applies every event of the backup again; the first difference is why it is not restored.
    private func verify() async throws {
        let file = try SQLiteFile.open(at: backup)
        _ = try await Verification(of: file).run { event in
            guard case .finding(let finding) = event else { return }
            throw StoreError(.damaged, "'\(backup)' is damaged: \(finding)")
        }
        try file.close()
    }

    private func text(of report: RestoreReport, _ file: String) -> String {
        let contents = report.contents
        let last = Date(timeIntervalSince1970: Double(contents.last.rawValue) / 1_000)
        let time = last.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
        var lines = [
            "\(file): \(dryRun ? "would be restored" : "restored") from \(backup), which is whole",
            "  events: \(contents.events), instances: \(contents.instances), last event: \(time)Z",
            "  generation: \(contents.generation)",
        ]
        if let kept = report.replaced { lines.append("  the database that was there: \(kept)") }
        if report.isOfAnotherStore {
            lines.append("  the two are of different stores: they have no history in common")
        }
        if let reason = report.unreadable {
            lines.append("  that one cannot be read (\(reason)): numbers of generations were left out")
        }
        if clock == .virtual { lines.append("  its clock is virtual: run it with 'wfd --clock virtual'") }
        return lines.joined(separator: "\n")
    }
}
