import ArgumentParser
import Foundation
import SQLiteStore
import WorkflowEngine
import WorkflowStore

struct Clock: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "What to do when the machine's clock was wrong.", subcommands: [Accept.self])

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept",
            abstract: "Take the machine's clock as right, although the database has events of a later time.")

        @Option(help: ArgumentHelp("The database.", valueName: "file"))
        var database: String?

        func run() throws {
            do {
                let file =
                    try database ?? DefaultPlaces(environment: ProcessInfo.processInfo.environment).databaseFile()
                guard FileManager.default.fileExists(atPath: file) else {
                    throw MissingPlaceError(description: "There is no database '\(file)'")
                }
                Console.say(text(of: try accept(in: file), file))
            } catch {
                Console.tell("error: \(error)")
                throw ExitCode(DaemonExit(error).rawValue)
            }
        }

        private func accept(in file: String) throws -> AcceptedClock {
            let now = SystemClock().now()
            let store = try SQLiteFileStore.open(at: file, clock: now)
            if let broken = store.recovered.logBreak {
                Console.tell("warning: \(broken)")
            }
            let writer = try store.writer()
            do {
                let accepted = try writer.acceptClock(now)
                try writer.close()
                return accepted
            } catch {
                // Why it was not accepted is what matters; a closed store only says that it is closed.
                try? writer.close()
                throw error
            }
        }

        private func text(of accepted: AcceptedClock, _ file: String) -> String {
            guard accepted.ahead > 0 else { return "\(file): the clock is accepted" }
            let names =
                accepted.names.map(\.rawValue).joined(separator: ", ")
                + (accepted.ahead > accepted.names.count ? ", …" : "")
            return """
                \(file): the clock is accepted
                  running instances of a later time: \(accepted.ahead) (\(names))
                  their next delays count from that time
                """
        }
    }
}
