import ArgumentParser
import SQLiteStore
import WorkflowEngine
import WorkflowStore

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify that the data in a database agrees with its histories.",
        discussion: """
            wfd reads the file and its write-ahead log, and changes nothing; a daemon may have it open. It applies \
            every event again. It prints the first difference of each instance and the number of things compared. The \
            exit code is 1 if something differs or the log is missing, and 65 if the file is no database of wfd.
            """)

    @Argument(help: ArgumentHelp("The database.", valueName: "file"))
    var file: String

    func run() async throws {
        do {
            let file = try DatabaseAddress.file(
                file, for: "wfd verify", advice: "this wfd cannot verify a database of PostgreSQL yet")
            let store = try SQLiteFile.open(at: file)
            if store.isLogMissing {
                Console.tell(
                    "error: it was not closed in order, and its write-ahead log is not beside it: its last events may be "
                        + "missing; to copy a database that is served, use 'wfctl backup'")
            }
            if let broken = store.logBreak { Console.tell("warning: \(broken.finding)") }
            let counts = try await Verification(of: store).run { event in
                switch event {
                case .inconsistency(let finding): Console.say("\(finding)")
                case .gap(let instance, let seqs):
                    Console.say("\(instance): chain checked, not refolded: \(seqs)")
                case .progress: break
                }
            }
            try store.close()
            Console.say("\(counts)")
            if counts.differences > 0 || store.isLogMissing { throw ExitCode(1) }
        } catch let exit as ExitCode {
            throw exit
        } catch {
            Console.tell("error: \(error)")
            throw ExitCode(DaemonExit(error).rawValue)
        }
    }
}
