import ArgumentParser
import Foundation
import Logging
import PostgresStore
import SQLiteStore
import WorkflowEngine
import WorkflowSettings
import WorkflowStore

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Restore the database from a backup.",
        discussion: """
            Stop the daemon first. wfd copies and verifies the backup before it replaces the database. The replaced \
            database is kept beside the new one, under another name. A reader with an older cursor gets the point \
            where the histories part. Effects are held until 'wfctl release'. 'wfd restore URL FILE' restores into an \
            empty store in a database of PostgreSQL, which 'wfd init' has made.
            """)

    @Argument(help: ArgumentHelp("A backup made by 'wfctl backup', or the URL of a database.", valueName: "file"))
    var first: String

    @Argument(help: ArgumentHelp("The backup, after a URL.", valueName: "backup"))
    var second: String?

    @Option(help: ArgumentHelp("The database.", valueName: "file"))
    var database: String?

    @Option(
        help: ArgumentHelp(
            "Also repeat the erasures and deletions of this database. (default: only those of the replaced one)",
            valueName: "file"))
    var erasures: String?

    @Flag(help: "Verify the backup and show what would be done; change nothing.")
    var dryRun = false

    @Option(help: ArgumentHelp("'virtual' makes a copy for tests, which runs only with 'wfd --clock virtual'."))
    var clock: CopyClock?

    @OptionGroup var placeOption: PlaceOption

    /// The clocks for which a copy can be made.
    enum CopyClock: String, ExpressibleByArgument, CaseIterable {
        case virtual
    }

    private var backup: String { second ?? first }

    func validate() throws {
        guard second != nil else {
            // The URL may have a password, so it is not printed.
            if DatabaseURL.isURL(first) { throw ValidationError("the backup is missing, after the URL") }
            return
        }
        if !DatabaseURL.isURL(first) { throw ValidationError("the URL of the database comes first, then the backup") }
        if database != nil { throw ValidationError("the database is named twice") }
    }

    func run() async throws {
        umask(0o077)
        do {
            let settings = try SettingSources.ofCommand(
                database: second == nil ? database : first, place: placeOption.place)
            let places = DefaultPlaces(environment: ProcessInfo.processInfo.environment)
            let file: String
            switch try DatabaseAddress(settings.database ?? places.databaseFile()) {
            case .file(let name): file = name
            case .postgres(let address):
                try await restore(into: address, settings)
                return
            }
            let restoration = StoreRestoration(
                backup: backup, database: file, erasures: erasures, makesFolder: settings.database == nil,
                clock: clock == .virtual ? .virtual : .kept, isDryRun: dryRun,
                place: .system(machine: settings.place)
            ) { try await Verification(of: $0).requireNone { _ in } }
            let report = try await restoration.run(clock: SystemClock().now())
            let isErased = report.erasures + report.deleted == 0
            let others = isErased || dryRun ? [] : try await erase(in: file, report)
            Console.say(text(of: report, others, file))
        } catch {
            Console.tell("error: \(error)")
            throw ExitCode(DaemonExit(error).rawValue)
        }
    }

    private func restore(into address: PostgresAddress, _ settings: Settings) async throws {
        guard clock == nil, erasures == nil else {
            throw StoreError(
                .unsupported,
                "Cannot restore to '\(address)': the virtual clock and '--erasures' need a database in a file")
        }
        let report = try await PostgresRestore(
            backup: backup, address: address, isInsecure: settings.isInsecure, isDryRun: dryRun
        ).run()
        Console.say(text(of: report, [], "\(address)"))
    }

    /// Carries out earlier erasures, and removes the rows of deleted instances. If the process is interrupted, the next
    /// start of wfd continues.
    private func erase(in file: String, _ report: RestoreReport) async throws -> [ResumedErasures.OtherName] {
        let store = try SQLiteFileStore.open(
            at: file, clock: report.time, on: report.clock, holds: true)
        return try await StandingErasures.carryOut(
            in: store, at: report.time, sweeps: true, logger: Logger(label: "wfd") { _ in SwiftLogNoOpLogHandler() }
        ).otherNames
    }

    private func text(
        of report: RestoreReport, _ otherNames: [ResumedErasures.OtherName], _ file: String
    ) -> String {
        let contents = report.contents
        // The format truncates to milliseconds, and a binary fraction may be slightly below the value.
        let last = Date(timeIntervalSince1970: (Double(contents.last.rawValue) + 0.5) / 1_000)
        let time = last.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
        var lines = [
            "\(file): \(dryRun ? "would be restored" : "restored") from \(backup), which is whole",
            "  events: \(contents.events), instances: \(contents.instances), last event: \(time)Z",
            "  generation: \(contents.generation)",
        ]
        if let kept = report.replaced {
            lines.append("  the database that \(dryRun ? "is there would be kept as" : "was there"): \(kept)")
        }
        if let events = report.events { lines.append("  events that only that one has: \(events)") }
        if report.isOfAnotherStore {
            lines.append("  the two are of different stores: they have no history in common")
        }
        if let reason = report.unreadable {
            lines.append("  that one cannot be read (\(reason)): numbers of generations were left out")
        }
        lines += deletionLines(of: report, file)
        if report.erasures > 0 {
            let deed = dryRun ? "would be" : report.erasures == 1 ? "was" : "were"
            lines.append("  \(many(report.erasures)) of before \(deed) carried out\(compaction(of: file))")
        }
        for name in otherNames.prefix(20) {
            lines.append("  an instance is now '\(name.given)': its new name '\(name.wanted)' is taken in the backup")
        }
        if otherNames.count > 20 { lines.append("  \(otherNames.count - 20) more of these") }
        if report.keptErasures > 0 {
            lines.append(
                "  \(many(report.keptErasures)) of instances that the backup does not have: remembered for a later "
                    + "restore")
        }
        if report.unreadable != nil {
            lines.append(
                "  what was erased or deleted of that one is not known: name a file that has it with '--erasures'")
        }
        if clock == .virtual { lines.append("  its clock is virtual: run it with 'wfd --clock virtual'") }
        lines.append(
            "  effects \(dryRun ? "would be" : "are") held: no task is handed out and nothing is called until "
                + "'wfctl release'")
        return lines.joined(separator: "\n")
    }

    private func deletionLines(of report: RestoreReport, _ file: String) -> [String] {
        var lines: [String] = []
        if report.deleted > 0 {
            let what = report.deleted == 1 ? "1 instance that was" : "\(report.deleted) instances that were"
            let deed = dryRun ? "would be" : report.deleted == 1 ? "is" : "are"
            lines.append("  \(what) deleted since \(deed) deleted again\(compaction(of: file))")
        }
        if report.keptDeletions > 0 {
            let what = report.keptDeletions == 1 ? "1 deletion" : "\(report.keptDeletions) deletions"
            lines.append("  \(what) of instances that the backup does not have: remembered for a later restore")
        }
        return lines
    }

    private func compaction(of file: String) -> String {
        dryRun ? "; to be compacted then: wfd compact \(file)" : "; compact it: wfd compact \(file)"
    }

    private func many(_ erasures: Int) -> String { erasures == 1 ? "1 erasure" : "\(erasures) erasures" }
}
