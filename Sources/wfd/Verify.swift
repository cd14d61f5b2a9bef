import ArgumentParser
import PostgresStore
import SQLiteStore
import WorkflowEngine
import WorkflowStore

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify that the data in a database agrees with its histories.",
        discussion: """
            wfd reads the file and its write-ahead log, and changes nothing; a daemon may have it open. It applies \
            every event again. It prints the first difference of each instance and the number of things compared. The \
            exit code is 1 if something differs or the log is missing, and 65 if the file is no database of wfd. Of a \
            database of PostgreSQL, wfd reads the tables as they are when it begins.
            """)

    @Argument(help: ArgumentHelp("The database, or the URL of one of PostgreSQL.", valueName: "file"))
    var file: String

    func run() async throws {
        do {
            let counts: VerifiedCounts
            var isWhole = true
            switch try DatabaseAddress(file) {
            case .file(let file): (counts, isWhole) = try await verify(file: file)
            case .postgres(let address):
                var random = SystemRandomNumberGenerator()
                let reader = UniqueID(at: SystemClock().now(), random: &random)
                // A server whose settings are doubtful can be read all the same.
                counts = try await verify(PostgresDatabase.open(address, owner: reader, insecure: true))
            }
            Console.say("\(counts)")
            if counts.differences > 0 || !isWhole { throw ExitCode(1) }
        } catch let exit as ExitCode {
            throw exit
        } catch {
            Console.tell("error: \(error)")
            throw ExitCode(DaemonExit(error).rawValue)
        }
    }

    /// Returns also false if the write-ahead log is missing.
    private func verify(file: String) async throws -> (VerifiedCounts, isWhole: Bool) {
        let store = try SQLiteFile.open(at: file)
        if store.isLogMissing {
            Console.tell(
                "error: it was not closed in order, and its write-ahead log is not beside it: its last events may be "
                    + "missing; to copy a database that is served, use 'wfctl backup'")
        }
        if let broken = store.logBreak { Console.tell("warning: \(broken.finding)") }
        let counts = try await verify(store)
        try store.close()
        return (counts, !store.isLogMissing)
    }

    private func verify(_ store: any StoreReader) async throws -> VerifiedCounts {
        try await Verification(of: store).run { event in
            switch event {
            case .inconsistency(let finding): Console.say("\(finding)")
            case .gap(let instance, let seqs):
                Console.say("\(instance): chain checked, not refolded: \(seqs)")
            case .progress: break
            }
        }
    }
}
