import DaemonTesting
import Testing
import WorkflowJSON

/// Tests the work of a person who is called at night. Stuck orders are found with time and reason, the definition is
/// corrected, and the migration of many orders is rehearsed, done and undone.
@Suite(.timeLimit(.minutes(20))) struct NightTests {
    /// A definition whose mistake is in line 31.
    private static let first = """
        id: order
        description: What somebody has ordered.
        types: {context: {total: dyn}}
        initial: draft
        context: {total: 0, weight: null, express: false}
        states:
          draft:
            on:
              submit: review
              fax: fax
              pack:
                target: packing
                actions:
                  assign:
                    weight: event.data.weight
                    express: event.data.express
          review:
            initial: finance
            after: {30d: draft}
            states:
              finance: {on: {next: legal}}
              legal:
                initial: reading
                states:
                  reading: {on: {next: pending}}
                  pending: {}
          packing:
            after:
              2d:
                guard: context.express
                actions: {assign: {total: context.weight + 1}}
                target: shipped
          fax: {}
          shipped: {}
        """

    private static let second = """
        id: order
        initial: draft
        context:
          total: 0.5
          weight: null
          express: false
        states:
          draft: {on: {submit: review}}
          review:
            initial: finance
            after: {30d: draft}
            states:
              finance: {on: {next: legal}}
              legal:
                initial: reading
                states:
                  reading: {on: {next: pending}}
                  pending: {}
          packing:
            after:
              2d: {guard: context.weight != 'fragile', target: shipped}
          fulfil:
            initial: packing
            states:
              packing: {after: {5d: late}, on: {ship: '#shipped'}}
              late: {on: {ship: '#shipped'}}
          shipped: {}
        """

    /// Starts orders and sends each the same events, some hundred lines in a request.
    private static func begin(_ names: some Sequence<String>, _ events: [String] = [], in daemon: Daemon) async throws {
        let lines = names.flatMap { name in
            [#"{"instance":"\#(name)","start":{"machine":"order"}}"#]
                + events.map { #"{"instance":"\#(name)","# + $0.dropFirst() }
        }
        for start in stride(from: 0, to: lines.count, by: 300) {
            let part = lines[start..<min(start + 300, lines.count)]
            let answer = try await daemon.answer(
                to: .post("/v1/events", part.joined(separator: "\n"), as: "application/x-ndjson"))
            let refused = try answer.text.split(separator: "\n").filter { line in
                let status = try JSONReader.value(from: String(line))["status"]
                return status != 200 && status != 201
            }
            #expect(answer.status == 200 && refused == [])
        }
    }

    private static func packed(_ weight: String, express: Bool) -> [String] {
        [#"{"event":"pack","data":{"weight":\#(weight),"express":\#(express)}}"#]
    }

    private static func daemon(in folder: TemporaryFolder) async throws -> Daemon {
        let database = folder.path("wfd.db")
        let arguments = Daemon.arguments(database: database, listen: ["unix:" + folder.path("wfd.sock")])
        let daemon = try await Daemon(arguments: arguments + ["--clock", "virtual"], database: database)
        _ = try await daemon.said("apply", folder.write(first, to: "order.yaml"))
        // 6d, 4d 4h, 3d, 2d 7h and 1h before the call.
        try await begin((1...3).map { "old-\($0)" }, packed("1", express: false), in: daemon)
        _ = try await daemon.said("clock", "advance", "44h")
        try await begin((1...86).map { "stuck-\($0)" }, packed("\"heavy\"", express: true), in: daemon)
        try await begin((87...88).map { "stuck-\($0)" }, packed("\"fragile\"", express: true), in: daemon)
        _ = try await daemon.said("clock", "advance", "28h")
        try await begin((1...85).map { "packed-\($0)" }, packed("1", express: false), in: daemon)
        _ = try await daemon.said("clock", "advance", "17h")
        let next = [#"{"event":"submit"}"#, #"{"event":"next"}"#, #"{"event":"next"}"#]
        try await begin(["order-1042"], next, in: daemon)
        _ = try await daemon.said("clock", "advance", "54h")
        try await begin((1...200).map { "review-\($0)" }, Array(next.prefix(1)), in: daemon)
        try await begin((201...309).map { "review-\($0)" }, next, in: daemon)
        try await begin((1...7).map { "fax-\($0)" }, [#"{"event":"fax"}"#], in: daemon)
        try await begin((1...1_205).map { "draft-\($0)" }, in: daemon)
        _ = try await daemon.said("set", "draft-1205", "total=\"12\"", "--reason", "a mistake")
        _ = try await daemon.said("clock", "advance", "1h")
        return daemon
    }

    /// Returns the output of a verb that may end with another code than 0.
    private static func said(_ daemon: Daemon, _ arguments: String..., end: Int32 = 0) async throws -> String {
        let result = try await DaemonTesting.wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
        #expect(result.end == .exited(end), "\(arguments): \(result)")
        return result.output
    }

    private static func digest(in text: String) throws -> String {
        let found = try #require(text.split(separator: "digest ").last, "\(text)")
        return String(found.prefix(6))
    }

    @Test func theNightOfAnOperator() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Self.daemon(in: folder)
        #expect(
            try await daemon.said("failures") == """
                MACHINE   V   COUNT   SINCE   EVENT              AT                 WHY
                order     1   88      2d 4h   after.2d.packing   packing, line 31   no such overload: string + int; write string(1)

                """)
        #expect(
            try await daemon.said(
                "list", "--machine", "order", "--state", "review", "--older-than", "2d", "--sort", "age")
                    == """
                    INSTANCE     STATE                  IN STATE   SEQ   STATUS
                    order-1042   review.legal.pending   2d 7h      4     running

                    """)
        let order = try folder.write(Self.second, to: "order.yaml")
        #expect(
            try await Self.said(daemon, "apply", order, "--no-activate").hasPrefix(
                "order: version 2 (not active: new instances take 1)"))
        try await retry(daemon)
        try await migrate(daemon)
        #expect(try await daemon.said("machine", "activate", "order", "2").contains("2"))
        _ = try await daemon.saidInTime("verify", "--all")
        let history = try await daemon.said("history", "draft-1")
        #expect(history.contains("because: OPS-13") && history.contains("run: ops-13"), "\(history)")
        #expect(history.contains("because: OPS-12 run: undo-ops-13"), "\(history)")
        #expect(try await daemon.stop().end == .exited(0))
    }

    private func retry(_ daemon: Daemon) async throws {
        let selection = ["retry", "--machine", "order", "--from", "1", "--to", "2", "--failure", "string + int"]
        let rehearsed = try await DaemonTesting.wfctl(
            selection + ["--dry-run"], environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
        let digest = try Self.digest(in: rehearsed.output)
        #expect(rehearsed.output == "88 would go on: shipped 86, packing 2    digest \(digest)\n", "\(rehearsed)")
        let done = try await DaemonTesting.wfctl(
            selection + ["--run", "ops-12", "--expect", digest], environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
        #expect(done.output == "ops-12: 88 of 88: 88 went on\n", "\(done)")
        #expect(try await daemon.said("failures").contains("string + int") == false)
    }

    private func migrate(_ daemon: Daemon) async throws {
        let rehearsal = try await Self.said(
            daemon, "migrate", "--machine", "order", "--from", "1", "--to", "2", "--map", "packing=fulfil.packing",
            "--dry-run")
        let digest = try Self.digest(in: rehearsal)
        #expect(
            rehearsal == """
                FROM       TO               COUNT   TIMERS                                       THEN
                draft      draft            1,204   -                                            -
                review.*   review.*         310     310 kept                                     -
                packing    fulfil.packing   88      88 new after.5d since entry, 3 due at once   -
                misfit  fax (7): version 2 has no state 'fax'; --map fax=STATE
                misfit  context.total (1): a string, version 2 begins with a double; --assign
                1,602 fit, 8 do not   digest \(digest)

                """, "\(rehearsal)")
        let moved = try await Self.said(
            daemon, "migrate", "--machine", "order", "--from", "1", "--to", "2", "--map", "packing=fulfil.packing",
            "--run", "ops-13", "--expect", digest, "--reason", "OPS-13", end: 5)
        #expect(moved == "ops-13: 1,610 of 1,610: 1,602 moved, 8 did not fit\n")
        // An instance whose timer was due at once moves on by itself, and nine more do.
        for name in ["old-1", "old-2", "old-3"] {
            try await eventually("\(name) is late") { try await daemon.said("show", name).contains("fulfil.late") }
        }
        for number in 1...9 { _ = try await daemon.said("send", "packed-\(number)", "ship") }
        let undo = ["migrate", "--undo", "ops-13", "--reason", "OPS-12"]
        let asked = try await daemon.wfctl(undo)
        #expect(asked.errors.hasPrefix("error: 1,602 instances are selected; nothing was done\n"), "\(asked)")
        let undone = try await daemon.wfctl(undo + ["--yes"])
        let back = undone.output
        #expect(undone.end == .exited(6), "\(undone)")
        #expect(back.hasPrefix("ops-13: 1,590 put back, 12 had gone on (listed)\n"), "\(back)")
        #expect(back.split(separator: "\n").count { $0.hasPrefix("  changed  ") } == 12, "\(back)")
        #expect(try await daemon.said("show", "packed-20").contains("packing"))
        #expect(
            try await Self.said(daemon, "bulk", "show", "undo-ops-13").contains("verb:     undo ops-13"))
        #expect(try await Self.said(daemon, "bulk", "show", "ops-13").contains("done, undone by 'undo-ops-13'\n"))
    }
}
