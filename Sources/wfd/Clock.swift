import ArgumentParser
import Foundation
import WorkflowEngine
import WorkflowStore

struct Clock: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What to do when the machine's clock was wrong.", subcommands: [Accept.self])

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
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
                let now = SystemClock().now()
                let store = try SQLiteStore.open(at: file, clock: now)
                var numbers = store.writer.numbers
                numbers.last = now
                try store.writer.commit(StoreBatch(numbers: numbers))
                try store.writer.close()
                print("\(file): the clock is accepted")
            } catch {
                FileHandle.standardError.write(Data("error: \(error)\n".utf8))
                throw ExitCode(DaemonExit(error).rawValue)
            }
        }
    }
}

extension SQLiteStore {
    /// Refuses to serve a database whose last event lies more than an hour in the future: either the clock was wrong
    /// then or it is wrong now, and timers would fire at a time that nobody meant.
    func checkClock(_ now: Timestamp) throws {
        let ahead = writer.numbers.last.rawValue - now.rawValue
        guard ahead > 3_600_000 else { return }
        throw ClockError(
            description: "The last event of the database is \(ahead / 60_000) minutes ahead of this machine's clock: "
                + "set the clock, or accept it with 'wfd clock accept'")
    }
}

struct ClockError: Error, CustomStringConvertible {
    let description: String
}
