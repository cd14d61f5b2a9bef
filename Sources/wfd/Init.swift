import ArgumentParser
import Foundation
import PostgresStore
import WorkflowEngine
import WorkflowSettings
import WorkflowStore

struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make an empty database of PostgreSQL a store.",
        discussion: """
            The user of the URL needs the right to create schemas and tables in the database. A database in a file needs \
            no command: 'wfd serve' makes it.
            """)

    @Argument(
        help: ArgumentHelp("The database, as postgres://USER@HOST/DATABASE?sslmode=verify-full.", valueName: "url"))
    var url: String

    @Option(
        help: ArgumentHelp(
            "The partitions of the store, 1 to 64, which stay; each has a writing thread of its own.",
            valueName: "number"))
    var partitions: Int64 = 1

    func run() throws {
        do {
            guard DatabaseURL.isURL(url) else {
                throw StoreError(
                    .unsupported, "'\(url)' is no URL; a database in a file is made by 'wfd serve --database FILE'")
            }
            let address = try PostgresAddress(url)
            var random = SystemRandomNumberGenerator()
            try StoreSchema(address).create(
                UniqueID(at: SystemClock().now(), random: &random), partitions: partitions)
            let noun = partitions == 1 ? "partition" : "partitions"
            Console.say("\(address): is a store now, of \(partitions) \(noun), schema \(StoreSchema.newest)")
        } catch {
            Console.tell("error: \(error)")
            throw ExitCode(DaemonExit(error).rawValue)
        }
    }
}
