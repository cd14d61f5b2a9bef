import DaemonTesting
import Foundation
import GRDB
import Testing
import WorkflowJSON

/// Tests a network between daemon and service that delays, cuts and resets connections. Each attempt reports its error,
/// and the next one succeeds.
@Suite(.enabled(if: TestService.python != nil, "there is no python3 on this system"), .timeLimit(.minutes(20)))
struct BadNetworkTests {
    /// The modes of the proxy, each with the reported error.
    private static let modes = [
        ("delay", "timeout"), ("swallow", "timeout"), ("cut", "connect"), ("cut-within", "connect"),
        ("reset", "connect"), ("reset-early", "connect"),
    ]

    private static let machine = """
        id: payment
        initial: paying
        context: {port: 0, receipt: null}
        states:
          paying:
            invoke:
              http:
                method: POST
                url: "'http://127.0.0.1:' + string(context.port) + '/record/' + instance.name"
                body: {amount: 5}
                attemptTimeout: 800ms
              retry: {attempts: unlimited, first: 20ms, factor: 1}
              onDone: {target: paid, actions: {assign: {receipt: event.data.body.id}}}
              onError: lost
          paid: {}
          lost: {}
        """

    @Test func whatDoesNotComeThroughIsTriedAgain() async throws {
        let stage = try await EffectTests.Stage()
        let daemon = try await stage.daemon()
        _ = try await daemon.said("apply", try stage.folder.write(Self.machine, to: "payment.yaml"))
        for (mode, _) in Self.modes {
            let port = try await stage.service.proxy(mode, connections: 2)
            _ = try await daemon.said("start", "payment", mode, "--data", #"{"port": \#(port)}"#)
        }
        let requests = stage.service
        for (mode, type) in Self.modes {
            try await eventually("'\(mode)' to be paid") {
                let shown = try await daemon.json("show", mode)
                guard shown["status"] == "running" else { throw TestingError(JSONWriter.string(shown)) }
                return shown["configuration"] == ["paid"]
            }
            let outcomes = try DatabaseFile(daemon.database).read { database in
                try String.fetchAll(
                    database,
                    sql: """
                        SELECT outcome FROM attempt JOIN instance ON instance.id = instance_id
                        WHERE instance.name = ? ORDER BY attempt
                        """, arguments: [mode])
            }
            // A machine that is busy may be too late once more.
            #expect(
                outcomes.prefix(2) == [type, type] && outcomes.dropFirst(2).allSatisfy { $0 == "timeout" },
                "\(mode): \(outcomes)")
            let seen = try await requests.recorded().filter { $0["path"] == .string("/record/" + mode) }
            let keys = Set(seen.map { $0["headers"]["idempotency-key"].string ?? "" })
            #expect(keys.count == 1 && Set(seen.map { $0["body"].string ?? "" }) == [#"{"amount":5}"#], "\(mode)")
            #expect(try await daemon.json("show", mode)["context"]["receipt"] == .string(keys.first ?? ""))
            #expect(try await daemon.json("show", mode)["seq"] == 2)
        }
        #expect(try await daemon.stop().end == .exited(0))
        try await stage.expectWhole()
    }
}
