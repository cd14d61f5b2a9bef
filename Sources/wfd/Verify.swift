import ArgumentParser
import SQLiteStore
import WorkflowEngine
import WorkflowStore

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that everything in a database is what its histories lead to.",
        discussion: """
            Reads the file, its write-ahead log too, and changes nothing; a daemon may have it open. Every event is \
            applied again. Prints the first difference of each instance and what was compared; the exit code is 1 when \
            something differs or the log is missing, and 65 for a file that is no database of wfd.
            """)

    @Argument(help: ArgumentHelp("The database.", valueName: "file"))
    var file: String

    func run() async throws {
        do {
            let store = try SQLiteFile.open(at: file)
            if store.isLogMissing {
                Console.tell(
                    "error: it was not closed in order, and no write-ahead log is beside it: its last events may be "
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
