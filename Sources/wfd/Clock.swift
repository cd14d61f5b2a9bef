import ArgumentParser
import Foundation
import PostgresStore
import SQLiteStore
import Statechart
import WorkflowEngine
import WorkflowSettings
import WorkflowStore

struct Clock: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Correct a database after the system clock was wrong.",
        subcommands: [Accept.self])

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Accept the system clock although the database has later events.",
            discussion: """
                Stop the daemon first. A running instance whose last event lies in the future continues from that \
                time, so its next delays end late. '--lower' gives each of them a row with the present time, and their \
                timers count from there. Try it with '--dry-run'.
                """)

        @Argument(help: ArgumentHelp("The database of PostgreSQL, in place of '--database'.", valueName: "url"))
        var url: String?

        @Option(help: ArgumentHelp("The database.", valueName: "file"))
        var database: String?

        @Flag(help: "Bring instances with a time in the future down to now.")
        var lower = false

        @Flag(help: "Show what '--lower' would do; change nothing.")
        var dryRun = false

        func validate() throws {
            if url != nil, database != nil { throw ValidationError("the database is named twice") }
            if dryRun, !lower { throw ValidationError("'--dry-run' shows what '--lower' would do: give both") }
        }

        func run() async throws {
            do {
                let places = DefaultPlaces(environment: ProcessInfo.processInfo.environment)
                let settings = try SettingSources.ofCommand(database: url ?? database)
                let now = SystemClock().now()
                let file: String
                switch try DatabaseAddress(settings.database ?? places.databaseFile()) {
                case .file(let name): file = name
                case .postgres(let address):
                    try await run(on: address, settings, at: now)
                    return
                }
                guard FileManager.default.fileExists(atPath: file) else {
                    throw MissingPlaceError(description: "There is no database '\(file)'")
                }
                if dryRun {
                    let store = try SQLiteFile.open(at: file, on: .real)
                    if store.isLogMissing {
                        try store.close()
                        throw StoreError(
                            .damaged,
                            "'\(file)' was not closed in order, and its write-ahead log is not beside it: its last "
                                + "events may be missing, and 'wfd clock accept' would refuse it")
                    }
                    let report = try await ClockLowering(in: store, at: now).rehearse()
                    try store.close()
                    try tell(report, file)
                } else {
                    try await accept(now, file)
                }
            } catch let exit as ExitCode {
                throw exit
            } catch {
                Console.tell("error: \(error)")
                throw ExitCode(DaemonExit(error).rawValue)
            }
        }

        private func run(on address: PostgresAddress, _ settings: Settings, at now: Timestamp) async throws {
            var random = SystemRandomNumberGenerator()
            let store = try PostgresDatabase.open(
                address, owner: UniqueID(at: now, random: &random), insecure: settings.isInsecure)
            if dryRun {
                try tell(try await ClockLowering(in: store, at: now).rehearse(), "\(address)")
                return
            }
            try store.refuseLiving()
            try await accept(now, in: store, store.writer(of: store.partitions), "\(address)")
        }

        private func accept(_ now: Timestamp, _ file: String) async throws {
            let store = try SQLiteFileStore.open(
                at: file, clock: now, upgrade: UpgradeOptions { Console.tell($0) })
            if let broken = store.recovered.logBreak {
                Console.tell("warning: \(broken)")
            }
            try await accept(now, in: store, store.writer(), file)
        }

        private func accept(
            _ now: Timestamp, in store: any StoreReader, _ writer: any StoreWriter, _ file: String
        ) async throws {
            let actor = Actor(rawValue: "uid:\(getuid())")
            let accepted: AcceptedClock
            var report: ClockLowering.Report?
            do {
                accepted = try writer.acceptClock(now, by: actor)
                if lower {
                    report = try await ClockLowering(in: store, at: now).run(on: writer, by: actor)
                }
                try writer.close()
            } catch {
                // The first error matters; an error of `close` would only say that the store is closed.
                try? writer.close()
                throw error
            }
            if let report { try tell(report, file) } else { Console.say(text(of: accepted, file)) }
        }

        private func text(of accepted: AcceptedClock, _ file: String) -> String {
            guard accepted.ahead > 0 else { return "\(file): the clock is accepted" }
            return """
                \(file): the clock is accepted
                  running instances of a later time: \(accepted.ahead) (\(list(accepted.names, of: accepted.ahead)))
                  their next delays count from that time; 'wfd clock accept --lower' brings them down to now
                """
        }

        private func list(_ names: [InstanceName], of count: Int) -> String {
            names.map(\.rawValue).joined(separator: ", ") + (count > names.count ? ", …" : "")
        }

        /// Prints the actual or planned corrections; ends with exit code 1 if a correction is impossible.
        private func tell(_ report: ClockLowering.Report, _ file: String) throws {
            let (be, brought) = dryRun ? ("would be", "that would be brought") : ("is", "brought")
            var lines = ["\(file): the clock \(be) accepted"]
            if report.instances > 0 {
                let minutes = DelayText.text(milliseconds: max(1, report.furthest / 60_000) * 60_000)
                lines += [
                    "  instances \(brought) down to now: \(report.instances) "
                        + "(\(list(report.names, of: report.instances)))",
                    "  ahead by up to: \(minutes)",
                    "  timers of theirs that are due earlier: \(report.timers)",
                ]
            } else {
                lines.append("  no instance is of a later time")
            }
            if report.effects > 0 { lines.append("  effects that are due earlier: \(report.effects)") }
            Console.say(lines.joined(separator: "\n"))
            guard report.left > 0 else { return }
            Console.tell(
                "error: \(report.left == 1 ? "1 instance stays" : "\(report.left) instances stay") as they are\n"
                    + report.reasons.map { "  \($0)" }.joined(separator: "\n"))
            throw ExitCode(1)
        }
    }
}
