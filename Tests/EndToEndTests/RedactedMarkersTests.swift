import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests that a person's data is gone from all places in a file after a redaction and a compaction.
@Suite struct RedactedMarkersTests {
    private static let claim = """
        id: claim
        initial: open
        context: {who: null, seen: null}
        states:
          open:
            on:
              name: {actions: {assign: {who: event.data}}}
              look: {guard: "context.who == 'nobody'", target: closed}
              break: {actions: {assign: {seen: "int(context.who)"}}}
              fall: {actions: {send: bad}}
              bad: {actions: {assign: {seen: "int(context.who)"}}}
              later: {actions: {send: {event: name, data: context.who, delay: 30d}}}
              ask: asked
          asked:
            invoke:
              task: check
              input: {who: context.who}
              onDone: {target: closed, actions: {assign: {seen: event.data}}}
          closed: {type: final, output: {who: context.who}}
        """
    /// The places, each with a text of its own: a text that is found names the place that was forgotten.
    private static let places = [
        "start", "data", "set", "reason", "progress", "error", "answer", "retry", "suspend",
    ]

    /// Texts that appear nowhere by chance.
    private let markers = Dictionary(
        uniqueKeysWithValues: places.map { place in
            (place, place + (0..<20).map { _ in String(UInt8.random(in: 0...15), radix: 16) }.joined())
        })

    private func marker(_ place: String) -> String { markers[place] ?? "" }

    /// Returns the places whose text is in one of some files.
    private func found(in paths: [String]) -> [String] {
        let files = paths.compactMap { FileManager.default.contents(atPath: $0) }
        return Self.places.filter { place in files.contains { $0.range(of: Data(marker(place).utf8)) != nil } }
    }

    private func post(_ target: String, _ body: String, to daemon: Daemon) async throws -> RawAnswer {
        let answer = try await daemon.answer(to: .post(target, body))
        guard answer.status < 300 else { throw TestingError("\(target): \(answer.text)") }
        return answer
    }

    /// Leases a task of the instance.
    private func task(of daemon: Daemon) async throws -> String {
        let leased = try await post("/v1/tasks/check/lease", #"{"worker": "w"}"#, to: daemon)
        guard case .array(let tasks)? = try leased.object["tasks"], let task = tasks.first?["task"].string else {
            throw TestingError("no task: \(leased.text)")
        }
        return task
    }

    private func write(to daemon: Daemon) async throws {
        let name = "c"
        _ = try await daemon.saidInTime("apply", Self.written(daemon))
        _ = try await daemon.said("start", "claim", name, "--data", #"{"who": "\#(marker("start"))"}"#)
        _ = try await daemon.said("send", name, "name", "--data", #""\#(marker("data"))""#)
        _ = try await daemon.said("set", name, #"who="\#(marker("set"))""#, "--reason", marker("reason"))
        _ = try await daemon.said("send", name, "later")
        // The marker would stand in messages of a run, if these repeated the text of a rejection.
        for event in ["look", "break"] {
            let run = try await daemon.wfctl("send", "--machine", "claim", event, "--run", event)
            #expect(run.output.contains("1 refused"), "\(run)")
        }
        _ = try await daemon.wfctl("send", name, "fall")
        _ = try await daemon.wfctl("retry", name, "--reason", marker("retry"))
        _ = try await daemon.said("skip", name, "--reason", marker("retry"))
        _ = try await daemon.said("suspend", name, "--reason", marker("suspend"))
        _ = try await daemon.said("resume", name)
        _ = try await daemon.said("send", name, "ask")
        var task = try await task(of: daemon)
        _ = try await post("/v1/tasks/\(task)/heartbeat", #"{"progress": "\#(marker("progress"))"}"#, to: daemon)
        _ = try await post(
            "/v1/tasks/\(task)/fail", #"{"type": "t", "message": "\#(marker("error"))", "retryAfter": 1}"#,
            to: daemon)
        try await eventually("the task comes again") {
            guard let again = try? await self.task(of: daemon) else { return false }
            task = again
            return true
        }
        _ = try await post("/v1/tasks/\(task)/complete", #""\#(marker("answer"))""#, to: daemon)
    }

    private static func written(_ daemon: Daemon) throws -> String {
        let path = daemon.database + ".yaml"
        try claim.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test(.timeLimit(.minutes(20))) func noneIsLeftInFileLogAndBackup() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await write(to: daemon)
        let live = [daemon.database, daemon.database + "-wal"]
        #expect(found(in: live) == Self.places, "what is not written cannot be missed")
        _ = try await daemon.said("redact", "c", "--reason", "GDPR-7")
        #expect(found(in: [daemon.database + "-wal"]) == [])
        let backup = folder.path("backup.db")
        _ = try await daemon.saidInTime("backup", backup)
        #expect(try await daemon.saidInTime("verify", "--all").hasSuffix("no difference\n"))
        #expect(try await daemon.stop().end == .exited(0))
        for file in [daemon.database, backup] {
            let compacted = try await Daemon.launch(["compact", file]).result()
            #expect(compacted.end == .exited(0), "\(compacted)")
            #expect(found(in: [file, file + "-wal", file + "-shm"]) == [], "\(file)")
            let dump = try DatabaseFile(file).dump()
            #expect(dump.filter { line in markers.values.contains { line.contains($0) } } == [])
        }
    }
}
