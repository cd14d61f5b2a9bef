import DaemonTesting
import Testing
import WorkflowJSON

/// Tests operators' verbs on a full disk: each is refused and changes nothing, and succeeds when there is room.
@Suite struct FullDiskRepairTests {
    private static let definition = """
        id: box
        initial: a
        context: {by: 0, who: ""}
        states:
          a:
            on:
              poke: {actions: {send: count}}
              count: {actions: {assign: {by: 10 / context.by}}}
              note: {actions: {assign: {who: event.data}}}
              end: done
          done: {type: final}
        """

    /// The verbs, each for an instance with the verb's name, and with the exit code when there is room.
    private static let verbs: [(name: String, arguments: [String], end: Int32)] = [
        ("cancel", ["--reason", "r"], 0), ("retry", [], 5), ("skip", ["--reason", "r"], 0),
        ("set", ["who=\"new\"", "--reason", "r"], 0), ("reset", ["--to", "1", "--reason", "r"], 0),
        ("suspend", [], 0), ("resume", [], 0), ("migrate", ["--to", "2", "--reason", "r"], 0),
        ("undo", ["--reason", "r"], 0), ("delete", ["--reason", "r"], 0),
        ("redact", ["--path", "who", "--reason", "r"], 0),
    ]

    /// Brings an instance into a state to which the verb applies.
    private static func prepare(_ name: String, _ daemon: Daemon) async throws {
        try await Self.carryOut(daemon, "start", "box", name, "--version", "1")
        try await Self.carryOut(daemon, "send", name, "note", "--data", #""secret""#)
        switch name {
        case "retry", "skip": try await Self.carryOut(daemon, "send", name, "poke", end: 5)
        case "resume": try await Self.carryOut(daemon, "suspend", name)
        case "undo": try await Self.carryOut(daemon, "migrate", name, "--to", "2", "--reason", "r")
        case "delete": try await Self.carryOut(daemon, "send", name, "end")
        default: break
        }
    }

    private static func carryOut(_ daemon: Daemon, _ arguments: String..., end: Int32 = 0) async throws {
        let result = try await daemon.wfctl(arguments)
        #expect(result.end == .exited(end), "\(arguments): \(result)")
    }

    @Test(.enabled("needs a user who may mount a tmpfs") { await SmallDisk.isPossible() }, .timeLimit(.minutes(20)))
    func eachVerbIsRefusedAndWorksWhenThereIsRoom() async throws {
        let folder = try TemporaryFolder()
        try await SmallDisk.with(megabytes: 16, in: folder) { disk in
            let database = disk.path + "/wfd.db"
            let daemon = try await Daemon(
                arguments: Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")]),
                database: database)
            let file = DatabaseFile(database)
            try await Self.carryOut(daemon, "apply", try folder.write(Self.definition, to: "box.yaml"))
            let second = Self.definition.replacing("type: final", with: "type: final, description: new")
            try await Self.carryOut(daemon, "apply", try folder.write(second, to: "box.yaml"))
            for verb in Self.verbs { try await Self.prepare(verb.name, daemon) }
            let before = try file.dump()
            try disk.fill()
            for verb in Self.verbs {
                let refused = try await daemon.wfctl([verb.name, verb.name] + verb.arguments)
                #expect(refused.end == .exited(75), "\(verb.name): \(refused)")
                #expect(refused.errors.contains("database or disk is full"), "\(verb.name): \(refused)")
            }
            #expect(try file.dump() == before)
            try disk.makeRoom()
            try await eventually("it is ready") { try await daemon.answer(to: .get("/readyz")).status == 200 }
            for verb in Self.verbs {
                let done = try await daemon.wfctl([verb.name, verb.name] + verb.arguments)
                #expect(done.end == .exited(verb.end), "\(verb.name): \(done)")
            }
            #expect(try await daemon.wfctl("verify", "--all").end == .exited(0))
            #expect(try await daemon.stop().end == .exited(0))
        }
    }
}
