import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests an order that charges a card, runs a program and sends a mail: the daemon itself acts on the world.
@Suite(.enabled(if: TestService.python != nil, "there is no python3 on this system"), .timeLimit(.minutes(20)))
struct EffectTests {
    /// - Parameter failures: The number of failures of the payment service before it accepts a charge.
    static func order(_ port: Int, failures: Int = 1) -> String {
        """
        id: order
        initial: paying
        context: {amount: 5, items: [pen], receipt: null, why: null, weight: null}
        states:
          paying:
            invoke:
              http:
                method: POST
                url: http://127.0.0.1:\(port)/flaky/\(failures)/v1/charges/{instance.name}
                body: {amount: context.amount}
                secretHeaders: {Authorization: "Bearer {pay_token}"}
              retry: {attempts: 50, first: 20ms, factor: 1}
              timeout: 10m
              onDone: {target: packing, actions: {assign: {receipt: event.data.body.id}}}
              onError: {target: rejected, actions: {assign: {why: event.data}}}
            on: {stop: rejected}
          packing:
            invoke:
              exec: weigh
              input: {items: context.items}
              retry: {attempts: unlimited, first: 20ms, factor: 1}
              onDone: {target: sending, actions: {assign: {weight: event.data.weight}}}
              onError: rejected
          sending:
            invoke: {task: stock, retry: {attempts: unlimited, first: 20ms}, onDone: shipped, onError: rejected}
          shipped:
            type: final
            entry:
              call: {http: {method: POST, url: "http://127.0.0.1:\(port)/record/mail", body: {of: instance.name}}}
          rejected: {}
        """
    }

    /// The surroundings of a daemon with effects: a service, its secret, and a program.
    struct Stage {
        static let secret = "a-secret-that-nobody-keeps"

        let service: TestService
        let folder: TemporaryFolder

        init() async throws {
            service = try await TestService()
            folder = try TemporaryFolder()
            let secrets = try folder.makeFolder("secrets")
            try Data(Self.secret.utf8).write(to: URL(filePath: secrets + "/pay_token"))
            try Data("http://127.0.0.1:\(service.ports.http)\n".utf8)
                .write(to: URL(filePath: secrets + "/pay_token.origins"))
            let program = try folder.write("#!/bin/sh\nread input; echo '{\"weight\": 7}'\n", to: "weigh.sh")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        }

        func daemon(_ options: [String]? = nil) async throws -> Daemon {
            let arguments = Daemon.arguments(
                database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock")])
            return try await Daemon(
                arguments: arguments + (options ?? Self.options(folder)), database: folder.path("wfd.db"))
        }

        static func options(_ folder: TemporaryFolder) -> [String] {
            [
                "--allow-http", "127.0.0.0/8", "--exec", "weigh=" + folder.path("weigh.sh"),
                "--secrets", folder.path("secrets"),
            ]
        }

        func worker(of daemon: Daemon) throws -> RunningProgram {
            try RunningProgram(
                Programs.path("wfctl"), ["work", "stock", "--exec", "/bin/echo", "1"],
                environment: Programs.environment(["WFCTL_ADDRESS": "\(daemon.address)"]))
        }

        /// Expects that the secret is nowhere but in its own file.
        func expectNoSecret(_ texts: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
            for name in try folder.names() where name != "secrets" {
                guard let data = FileManager.default.contents(atPath: folder.path(name)) else { continue }
                #expect(data.range(of: Data(Self.secret.utf8)) == nil, "\(name)", sourceLocation: sourceLocation)
            }
            for text in texts { #expect(!text.contains(Self.secret), sourceLocation: sourceLocation) }
        }
    }

    @Test func anOrderIsPaidPackedAndShipped() async throws {
        let stage = try await Stage()
        let daemon = try await stage.daemon()
        let definition = try stage.folder.write(Self.order(stage.service.ports.http), to: "order.yaml")
        _ = try await daemon.said("apply", definition)
        let worker = try stage.worker(of: daemon)
        _ = try await daemon.said("start", "order", "o-1")
        try await eventually("the end") { try await daemon.json("show", "o-1")["status"] == "done" }
        try await eventually("the mail") { try await daemon.json("effects").elements.isEmpty }
        let history = try await daemon.json("history", "o-1", "--detail")
        #expect(
            history.elements.map { $0["event"].string }
                == ["init", "done.invoke.paying", "done.invoke.packing", "done.invoke.sending"])
        let shown = try await daemon.json("show", "o-1")
        let requests = try await stage.service.recorded()
        try #require(requests.map { $0["status"] } == [503, 200, 200])
        #expect(requests[0]["headers"]["idempotency-key"] == requests[1]["headers"]["idempotency-key"])
        #expect(shown["context"]["receipt"] == requests[1]["headers"]["idempotency-key"])
        #expect(shown["context"]["weight"] == 7)
        #expect(requests[1]["headers"]["authorization"] == .string("Bearer \(Stage.secret)"))
        #expect(requests[2]["path"] == "/record/mail" && requests[2]["body"] == #"{"of":"o-1"}"#)
        worker.signal(SIGTERM)
        _ = try await worker.result()
        let end = try await daemon.stop()
        #expect(end.end == .exited(0))
        try stage.expectNoSecret([end.errors, end.output, JSONWriter.string(shown), JSONWriter.string(history)])
        try await stage.expectWhole()
    }

    /// The daemon reports effects that are not allowed or lack something, and loses nothing.
    @Test func whatIsMissingIsHeldUntilItIsThere() async throws {
        let stage = try await Stage()
        var daemon = try await stage.daemon(["--allow-http", "127.0.0.0/8"])
        let definition = try stage.folder.write(Self.order(stage.service.ports.http, failures: 0), to: "order.yaml")
        let applied = try await wfctl(["apply", definition], environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
        #expect(applied.end == .exited(0))
        let warnings = applied.errors.split(separator: "\n").map { $0.replacing(definition, with: "order.yaml") }
        #expect(
            warnings == [
                "order.yaml:7:1: warning: it will be held: secret 'pay_token' is missing: wfd has no folder of secrets",
                "order.yaml:19:1: warning: it will be held: there is no program 'weigh': start wfd with --exec "
                    + "weigh=/path",
            ])
        _ = try await daemon.said("start", "order", "o-1")
        try await eventually("the hold") {
            try await daemon.said("effects", "o-1").contains("secret 'pay_token' is missing")
        }
        #expect(try await stage.service.recorded().isEmpty)
        #expect(
            try await daemon.said("show", "o-1").contains(
                "waits for: paying of http:127.0.0.1:\(stage.service.ports.http), held: secret 'pay_token' is missing"))
        let held = try await daemon.stop()
        #expect(held.errors.split(separator: "\n").count { $0.contains("an effect is held") } == 1)
        daemon = try await stage.daemon()
        try await eventually("the program") { try await daemon.json("show", "o-1")["context"]["weight"] == 7 }
        #expect(try await stage.service.recorded().count == 1)
        _ = try await daemon.stop()
        try await stage.expectWhole()
    }

    @Test func addressesThatAreNotAllowedAreRefused() async throws {
        let stage = try await Stage()
        let daemon = try await stage.daemon(
            ["--secrets", stage.folder.path("secrets"), "--exec", "weigh=" + stage.folder.path("weigh.sh")])
        let definition = try stage.folder.write(Self.order(stage.service.ports.http), to: "order.yaml")
        _ = try await daemon.said("apply", definition)
        _ = try await daemon.said("start", "order", "o-1")
        try await eventually("the refusal") { try await daemon.json("show", "o-1")["configuration"] == ["rejected"] }
        #expect(try await daemon.json("show", "o-1")["context"]["why"]["type"] == "address-refused")
        _ = try await daemon.stop()
    }

    /// A requested stop lets running effects end, and keeps their results.
    @Test func aStopLetsWhatRunsEnd() async throws {
        let stage = try await Stage()
        let slow = """
            id: slow
            initial: a
            states:
              a:
                invoke:
                  http: {method: GET, url: "http://127.0.0.1:\(stage.service.ports.http)/held"}
                  onDone: b
                  onError: c
              b: {}
              c: {}
            """
        var daemon = try await stage.daemon()
        _ = try await daemon.said("apply", try stage.folder.write(slow, to: "slow.yaml"))
        _ = try await daemon.said("start", "slow", "s")
        // Effects that run are told from those that wait.
        try await eventually("it runs") { try await daemon.json("effects", "s").elements.first?["turn"] == "running" }
        #expect(try await daemon.said("show", "s").contains(", attempt 1 runs\n"))
        #expect(try await daemon.json("queues").elements.map { [$0["ready"], $0["running"]] } == [[0, 1]])
        daemon.program.signal(SIGTERM)
        // The stop has begun when nobody can connect any more.
        let address = daemon.address
        try await eventually("the stop begins") {
            try await onOwnThread { (try? RawConnection(to: address)) == nil }
        }
        try await stage.service.release()
        #expect(try await daemon.program.result().end == .exited(0))
        daemon = try await stage.daemon([])
        #expect(try await daemon.json("show", "s")["configuration"] == ["b"])
        _ = try await daemon.stop()
    }

    /// `clock advance` waits for the effects on the way.
    @Test func aVirtualClockStandsStillMeanwhile() async throws {
        let stage = try await Stage()
        let daemon = try await stage.daemon(Stage.options(stage.folder) + ["--clock", "virtual"])
        let text = Self.order(stage.service.ports.http, failures: 2)
            .replacing("attempts: 50, first: 20ms", with: "attempts: 50, first: 1h, jitter: 0")
            .replacing("timeout: 10m", with: "timeout: 10h")
        // The service says that it wants no pause, and that comes first.
        _ = try await daemon.said("apply", try stage.folder.write(text, to: "order.yaml"))
        _ = try await daemon.said("start", "order", "o-1")
        // The clock stops for the worker that the order then waits for.
        let stopped = try await daemon.wfctl("clock", "advance", "1d")
        #expect(stopped.end == .exited(75) && stopped.errors.contains("in 'task:stock'\n"), "\(stopped)")
        #expect(try await daemon.json("show", "o-1")["configuration"] == ["sending"])
        _ = try await daemon.said("clock", "advance", "1d", "--no-tasks")
        #expect(try await daemon.json("show", "o-1")["configuration"] == ["sending"])
        #expect(try await stage.service.recorded().count == 3)
        _ = try await daemon.stop()
    }
}

extension EffectTests.Stage {
    /// Expects that a verification of the file finds nothing.
    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let result = try await RunningProgram(
            Programs.path("wfd"), ["verify", folder.path("wfd.db")], environment: Programs.environment()
        ).result()
        #expect(result.end == .exited(0), "\(result)", sourceLocation: sourceLocation)
    }
}
