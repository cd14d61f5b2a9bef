import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Writes rows of every kind that this version knows, and continues with them in the file of a release that has them.
///
/// Each instance is named after what it is there for. Nothing that `goOn` does depends on the age of the file.
struct ReleasedFileJobs {
    let daemon: Daemon
    let folder: TemporaryFolder

    private static let definition = """
        id: job
        initial: idle
        context: {n: 0, by: 0, got: null, all: [\((0..<30).map(String.init).joined(separator: ", "))]}
        states:
          idle:
            on:
              go: {actions: {send: count}}
              count: {actions: {assign: {n: 10 / context.by}}}
              toil: {actions: {assign: {n: "\(toil)"}}}
              ring: {actions: {call: {task: bell, retry: {attempts: 1}}}}
              ask: asking
              weigh: weighing
              work: halls
              return: halls.last
              finish: finished
          asking:
            invoke:
              task: stock
              input: {n: context.n}
              retry: {attempts: 9, first: 7d}
              timeout: 2600w
              onDone: {target: idle, actions: {assign: {got: event.data}}}
              onError: idle
          weighing: {invoke: {exec: scale, onDone: idle, onError: idle}}
          halls:
            type: parallel
            on: {leave: idle}
            states:
              light: {initial: dark, states: {dark: {on: {flip: bright}}, bright: {}}}
              heat: {initial: cold, states: {cold: {on: {warm: hot}}, hot: {}}}
              last: {type: history, history: deep}
          finished: {type: final, output: {n: context.n}}
        """

    /// An expression that takes a while, so that a run can be stopped before it has ended.
    private static let toil =
        "context.all.exists(a, context.all.exists(b, context.all.exists(c, a + b + c < 0))) ? 1 : 2"

    private static let door = "id: door\ninitial: open\nstates: {open: {on: {shut: shut}}, shut: {type: final}}"

    func write() async throws {
        _ = try await daemon.saidInTime("apply", folder.write(Self.definition, to: "job.yaml"))
        let second = Self.definition.replacing("weighing", with: "scales")
        _ = try await daemon.saidInTime("apply", "--no-activate", folder.write(second, to: "job.yaml"))
        try await writeRepairs()
        try await writeEffects()
        try await writeRuns()
        try await writeErasures()
        try await writeSettings()
        try await writeTokens()
    }

    private func writeRepairs() async throws {
        for name in ["go", "skip", "failed"] {
            try await start(name)
            #expect(try await daemon.wfctl("send", "j-\(name)", "go").end == .exited(5))
        }
        for line in ["set j-go by=2", "retry j-go", "skip j-skip"] { try await repair(line) }
        for name in ["resumed", "suspended", "cancelled", "reset", "moved"] { try await start(name) }
        for line in [
            "suspend j-resumed", "resume j-resumed", "suspend j-suspended", "cancel j-cancelled",
            "reset j-reset --to 1", "migrate j-moved --to 2",
        ] {
            try await repair(line)
        }
        try await start("halls", "work", "flip", "warm", "leave", "return")
        try await start("finished", "finish")
    }

    private func writeEffects() async throws {
        try await start("result", "ask")
        try await post("\(lease("stock"))/complete", #"{"pens": 1}"#)
        try await start("answered", "ask")
        let answered = try await lease("stock")
        try await repair("suspend j-answered")
        try await post("\(answered)/complete", #"{"pens": 2}"#)
        // The resumption has the earlier time of the result.
        try await start("rested", "ask")
        let rested = try await lease("stock")
        try await repair("suspend j-rested")
        try await post("\(rested)/complete", "3")
        try await repair("resume j-rested")
        // A worker that reports after somebody has decided.
        try await start("late", "ask")
        let late = try await lease("stock")
        try await repair("effects cancel j-late asking")
        #expect(try await daemon.answer(to: .post("\(late)/complete", "{}")).status == 410)
        try await start("waiting", "ask")
        try await repair("effects retry j-waiting asking --new-key")
        try await post("\(lease("stock"))/fail", #"{"message": "jammed"}"#)
        try await start("leased", "ask")
        try await post("\(lease("stock"))/heartbeat", #"{"progress": {"packed": 1}}"#)
        try await start("ring", "ring")
        try await post("\(lease("bell"))/fail", #"{"message": "mute"}"#)
        try await start("held", "weigh")
        try await eventually("it is held") { try await daemon.json("effects", "j-held").elements[0]["state"] == "held" }
        try await start("ready", "ask")
    }

    private func writeRuns() async throws {
        let names = try folder.write("j-go\nj-skip\nj-resumed\nj-reset\nj-halls\nj-result\n", to: "names")
        let body = "j-go j-skip j-resumed j-reset j-result j-late".split(separator: " ")
            .map { #"{"instance": "\#($0)"}"# }
        var run = 0
        // The first run that is stopped is resumed.
        var resumed: String?
        try await eventually("a run is stopped before its end") {
            run += 1
            let head = #"{"run": "toil-\#(run)", "action": {"verb": "send", "event": "toil"}}"#
            let lines = ([head] + body).joined(separator: "\n")
            let began = Task { [daemon] in
                try? await daemon.answer(to: .post("/v1/bulk", lines, as: "application/x-ndjson"))
            }
            try await eventually("there is a run to stop") {
                try await daemon.wfctl("bulk", "stop", "toil-\(run)").end == .exited(0)
            }
            _ = await began.value
            guard try await daemon.json("bulk", "show", "toil-\(run)")["state"] == "stopped" else { return false }
            guard resumed == nil else { return true }
            resumed = "toil-\(run)"
            _ = try await daemon.saidInTime("bulk", "resume", "toil-\(run)")
            return false
        }
        _ = try await daemon.saidInTime(
            "set", "by=5", "--names-from", names, "--reason", "OPS-2", "--run", "by-five")
        // The scale of 'j-held' has no place in version 2.
        let migration = try await daemon.wfctl(
            "migrate", "--machine", "job", "--from", "1", "--to", "2", "--state", "weighing", "--reason", "OPS-3",
            "--run", "left-out")
        #expect(migration.end == .exited(5) && migration.output.contains("1 did not fit"), "\(migration)")
    }

    private func writeErasures() async throws {
        try await start("redacted", "work")
        try await repair("redact j-redacted --seq 1 --path by")
        try await start("renamed", "finish")
        try await repair("redact j-renamed --rename j-anonymous")
        // The key of its start is remembered.
        _ = try await daemon.said("start", "job", "j-deleted", "--key", "kept")
        try await repair("delete j-deleted --confirm j-deleted")
        try await eventually("only its key is left") {
            try DatabaseFile(daemon.database).number("SELECT count(*) FROM purge WHERE waits = 1") == 1
        }
    }

    private func writeSettings() async throws {
        _ = try await daemon.said("queue", "stock", "--concurrency", "4", "--rate", "100/s")
        _ = try await daemon.said("queue", "bell", "--pause")
        _ = try await daemon.said("apply", folder.write(Self.door, to: "door.yaml"))
        _ = try await daemon.said("machine", "set", "door", "--retention", "2600w")
        _ = try await daemon.said("start", "door", "d-1")
        for line in ["suspend --machine door", "resume --machine door", "suspend --machine door"] {
            try await repair(line)
        }
        for version in ["2", "1"] { _ = try await daemon.said("machine", "activate", "job", version) }
    }

    private func writeTokens() async throws {
        for line in [
            "create shop --role send,work --queue stock,pack.*", "rotate shop --overlap 1h",
            "create sso --role view --speaks-for --expires 90d", "revoke sso",
        ] {
            let result = try await daemon.wfctl(["token"] + line.split(separator: " ").map(String.init))
            #expect(result.end == .exited(0), "\(line): \(result)")
        }
    }

    /// Continues with each row that `write` has left open.
    func goOn() async throws {
        try await repair("set j-failed by=2")
        try await repair("retry j-failed")
        #expect(try await daemon.json("show", "j-failed")["context"]["n"] == 5)
        for name in ["suspended", "answered"] { try await repair("resume j-\(name)") }
        #expect(try await daemon.json("show", "j-answered")["context"]["got"] == ["pens": 2])
        try await repair("undo j-moved")
        #expect(try await daemon.json("show", "j-moved")["version"] == 1)
        try await repair("effects skip j-leased asking --result 7")
        #expect(try await daemon.json("show", "j-leased")["context"]["got"] == 7)
        try await repair("effects cancel j-held weighing")
        try await repair("effects retry j-waiting asking")
        try await repair("effects retry --all --queue bell")
        _ = try await daemon.said("queue", "bell", "--resume")
        for queue in ["bell", "stock"] {
            _ = try await daemon.saidInTime("work", queue, "--once", "--exec", "/bin/echo", "8")
        }
        for name in ["waiting", "ready"] {
            #expect(try await daemon.json("show", "j-\(name)")["context"]["got"] == 8)
        }
        #expect(try await daemon.json("effects").elements.isEmpty)
        _ = try await daemon.saidInTime("bulk", "undo", "by-five", "--reason", "OPS-5")
        for run in try await daemon.json("bulk", "list").elements where run["state"] == "stopped" {
            _ = try await daemon.saidInTime("bulk", "resume", try #require(run["run"].string))
        }
        try await eventually("all runs are done") {
            try await daemon.json("bulk", "list").elements.allSatisfy { $0["state"] == "done" }
        }
        try await repair("resume --machine door")
        for line in ["start door d-2", "send d-1 shut", "start job j-last"] {
            _ = try await daemon.saidInTime(line.split(separator: " ").map(String.init))
        }
        #expect(try await daemon.json("show", "j-last")["version"] == 1)
        try await repair("redact j-go")
        try await repair("delete j-finished")
        #expect(try await daemon.json("audit", "--action", "delete").elements.count == 2)
    }

    /// Starts an instance, and sends it some events.
    private func start(_ name: String, _ events: String...) async throws {
        _ = try await daemon.said("start", "job", "j-\(name)", "--version", "1")
        for event in events { _ = try await daemon.said("send", "j-\(name)", event) }
    }

    /// Runs a verb of an operator, which must succeed.
    private func repair(_ line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        _ = try await daemon.saidInTime(words + ["--reason", "OPS-1"])
    }

    /// Leases the only task of a queue, and returns its path.
    private func lease(_ queue: String) async throws -> String {
        let leased = try await post("/v1/tasks/\(queue)/lease", #"{"worker": "w", "wait": 20, "lease": 3600}"#)
        guard case .array(let tasks)? = try leased.object["tasks"], let task = tasks.first?["task"].string else {
            throw TestingError("no task: \(leased.text)")
        }
        return "/v1/tasks/\(task)"
    }

    @discardableResult private func post(_ path: String, _ body: String) async throws -> RawAnswer {
        let answer = try await daemon.answer(to: .post(path, body))
        guard answer.status < 300 else { throw TestingError("\(path): \(answer.text)") }
        return answer
    }
}
