import ArgumentParser
import Crypto
import WorkflowAPI
import WorkflowClient
import WorkflowJSON
import WorkflowTerminal

/// `wfctl backup`.
struct MakeBackup: Verb {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy and verify the database of a running wfd.",
        discussion: """
            $ wfctl backup monday.db

            wfd continues to serve requests. It verifies the copy before wfctl gets it; if the copy has a difference, \
            the exit code is 65. 'wfd restore' puts the backup in the place of a database. wfd keeps the copy beside \
            the database until it is fetched, so the disk must have room for it. Of a database of PostgreSQL, wfd makes \
            a file of SQLite.
            """)

    @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "dest"), completion: .file())
    var destination: String

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var global: GlobalOptions

    var needsItsOutputRead: Bool { true }

    func run(in session: Session) async throws {
        let files = session.environment.files
        if destination == "-" {
            let backup = try await session.withClient { client in
                try await fetch(from: client, in: session) { try session.environment.output.write($0) }
            }
            try session.say(Written(file: "standard output", backup: backup).text)
            return
        }
        try refusePartOfDatabase(files)
        // The file is created before the work begins, so that an unwritable folder costs nothing.
        let file = try files.create(destination, isPrivate: true)
        defer { file.discard() }
        guard force || !files.exists(destination) else {
            throw CommandFailure(.cannotCreate, "'\(destination)' exists already", notes: ["--force replaces it"])
        }
        let backup = try await session.withClient { client in
            try await fetch(from: client, in: session) { try file.write($0) }
        }
        try file.commit(replacing: force)
        let written = Written(file: destination, backup: backup)
        try session.print(written) { "\(written.text)\n" }
    }

    /// Refuses the name of a database in use, and of the files beside one. A daemon whose file is replaced ends, and
    /// SQLite would apply the old log to the new file.
    private func refusePartOfDatabase(_ files: any FileAccess) throws {
        let logs = ["-wal", "-shm", "-journal"]
        let beside = logs.map { destination + $0 }.first(where: files.exists)
        let parts = logs + [".lock", ".held-wal", ".begun", ".upkeep", ".access"]
        let isPart = files.exists(destination) && parts.contains(where: destination.hasSuffix)
        guard beside != nil || isPart else { return }
        throw CommandFailure(
            .cannotCreate,
            beside.map { "'\(destination)' is a database in use: '\($0)' is beside it" }
                ?? "'\(destination)' is a part of a database",
            notes: ["name another file; 'wfd restore' puts a backup in the place of a database"])
    }

    /// Requests a backup and passes its bytes on; throws if they differ from the daemon's.
    private func fetch(
        from client: WorkflowClient, in session: Session, write: ([UInt8]) throws -> Void
    ) async throws -> Backup {
        var progress = Progress(session, unit: .bytes)
        do {
            let backup = try await make(with: client, &progress)
            var hash = SHA256()
            var count: Int64 = 0
            for try await part in try await client.backup(backup.backup) {
                hash.update(data: part)
                count += Int64(part.count)
                try write(part)
                try progress.show("fetching", done: count, total: backup.bytes)
            }
            let digest = hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            guard count == backup.bytes, digest == backup.digest else {
                throw CommandFailure(
                    .other, "The backup was damaged on its way: \(count) of \(backup.bytes) bytes with another digest")
            }
            try progress.end()
            return backup
        } catch {
            try progress.end()
            throw error
        }
    }

    private func make(with client: WorkflowClient, _ progress: inout Progress) async throws -> Backup {
        for try await line in try await client.makeBackup() {
            switch line {
            case .progress(let phase, let done, let total):
                try progress.show(
                    phase.rawValue, done: done, total: total, in: phase == .verifying ? .things("events") : nil)
            case .ready(let backup): return backup
            }
        }
        throw ClientError.protocolViolation(client.address, reason: "it ends without a backup")
    }
}

/// The written file and its backup.
private struct Written: JSONWritable {
    let file: String
    let backup: Backup

    var text: String {
        """
        \(file): \(ByteText.text(backup.bytes)), \(Self.counted(backup.instances, "instance")), \
        \(Self.counted(backup.events, "event")) until \(backup.lastAt.text) (generation \(backup.generation))
        """
    }

    private static func counted(_ count: Int64, _ thing: String) -> String {
        "\(count) \(thing)\(count == 1 ? "" : "s")"
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("file", file)
            writer.field("bytes", backup.bytes)
            writer.field("digest", backup.digest)
            writer.field("generation", backup.generation)
            writer.field("instances", backup.instances)
            writer.field("events", backup.events)
            writer.field("lastAt", backup.lastAt)
        }
    }
}
