import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Testing
import ThreadTesting
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests lists by age and reason, counts and metrics, over real sockets.
@Suite(.timeLimit(.minutes(20))) struct MetricsRoutesTests {
    private static func definition(_ name: String) -> String {
        """
        id: \(name)
        initial: idle
        states:
          idle: {on: {go: busy}}
          busy: {}
        """
    }

    private static func host(machines: Int, instances: Int = 1) async throws -> ServerHost {
        let host = try await ServerHost()
        for machine in 1...machines {
            _ = try await host.engine.apply(definition("m\(machine)"), syntax: .yaml)
            for number in 1...instances {
                _ = try await host.engine.start(
                    StartCommand(machine: "m\(machine)", instance: "i-\(machine)-\(number)"))
            }
        }
        return host
    }

    private static func sample(_ text: String, _ name: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }

    @Test func countersCountWhatHappens() async throws {
        let host = try await Self.host(machines: 1, instances: 3)
        let event = RawRequest(
            "POST", "/v1/instances/i-1-1/events", headers: [("Content-Type", "application/json")],
            body: Array(#"{"event":"go"}"#.utf8))
        let lines = RawRequest(
            "POST", "/v1/events", headers: [("Content-Type", "application/x-ndjson")],
            body: Array(#"{"instance":"i-1-2","event":"go"}"#.utf8) + [10]
                + Array(#"{"instance":"i-1-2","event":"no"}"#.utf8))
        let answers = try await host.answers(to: [event, event, .get("/v1/nothing"), lines, .get("/metrics")])
        let text = answers[4].text
        #expect(answers[4].headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(Self.sample(text, #"wfd_events_total{machine="m1",kind="started"}"#) == 3)
        #expect(Self.sample(text, #"wfd_events_total{machine="m1",kind="event"}"#) == 2)
        #expect(Self.sample(text, #"wfd_instances{machine="m1",version="1",status="running"}"#) == 3)
        #expect(Self.sample(text, #"wfd_refusals_total{type="event-not-accepted"}"#) == 1)
        #expect(Self.sample(text, #"wfd_refusals_total{type="unknown-event"}"#) == 1)
        #expect(Self.sample(text, #"wfd_refusals_total{type="route-not-found"}"#) == 1)
        let route = #"{method="POST",route="/v1/instances/{instance}/events"}"#
        #expect(Self.sample(text, "wfd_request_seconds_count" + route) == 2)
        #expect(Self.sample(text, #"wfd_commit_seconds_bucket{le="+Inf"}"#).map { $0 >= 5 } == true)
        #expect(Self.sample(text, "wfd_ready") == 1)
        #expect(Self.sample(text, "wfd_database_bytes").map { $0 > 0 } == true)
        try await host.stop()
    }

    @Test func theFirst200MachinesHaveTheirNames() async throws {
        let host = try await Self.host(machines: 203)
        let text = try await host.answers(to: [.get("/metrics")])[0].text
        let instances = text.split(separator: "\n").filter { $0.hasPrefix("wfd_instances{") }
        #expect(instances.count == 201)
        #expect(Self.sample(text, #"wfd_instances{machine="_other",version="",status="running"}"#) == 3)
        #expect(Self.sample(text, #"wfd_events_total{machine="_other",kind="started"}"#) == 3)
        #expect(Self.sample(text, #"wfd_instances{machine="m200",version="1",status="running"}"#) == 1)
        try await host.stop()
    }

    private static let parcel = """
        id: parcel
        initial: packing
        states:
          packing:
            invoke: {task: stock, retry: {attempts: 1}, onDone: packed, onError: packed}
          packed: {type: final}
        """

    @Test func countersAreThereBeforeTheyCount() async throws {
        let host = try await ServerHost()
        _ = try await host.engine.apply(Self.parcel, syntax: .yaml)
        let text = try await host.answers(to: [.get("/metrics")])[0].text
        #expect(Self.sample(text, #"wfd_failures_total{machine="parcel",type="expression-failed"}"#) == 0)
        #expect(Self.sample(text, #"wfd_brakes_total{machine="parcel"}"#) == 0)
        #expect(Self.sample(text, #"wfd_timers_skipped_total{machine="parcel"}"#) == 0)
        #expect(Self.sample(text, #"wfd_effect_attempts_total{queue="task:stock",outcome="failed"}"#) == 0)
        #expect(Self.sample(text, #"wfd_effect_start_delay_seconds_count{queue="task:stock"}"#) == 0)
        #expect(Self.sample(text, #"wfd_refusals_total{type="unknown-event"}"#) == 0)
        #expect(Self.sample(text, "wfd_timers_late") == 0 && Self.sample(text, "wfd_effects_held") == 0)
        #expect(Self.sample(text, "process_resident_memory_bytes").map { $0 > 1_048_576 } == true)
        #expect(Self.sample(text, "process_open_fds").map { $0 > 3 } == true)
        #expect(Self.sample(text, "process_start_time_seconds").map { $0 > 1_600_000_000 } == true)
        try await host.stop()
    }

    @Test func whatWaitsInAQueueIsTold() async throws {
        let host = try await ServerHost()
        _ = try await host.engine.apply(Self.parcel, syntax: .yaml)
        for name in ["p-1", "p-2", "p-3"] {
            _ = try await host.engine.start(StartCommand(machine: "parcel", instance: name))
        }
        let lease = LeaseTasksCommand(queue: "stock", max: 2, milliseconds: 60_000, worker: "w", by: .test)
        let tasks = try await host.engine.lease(lease, wait: .zero)
        try #require(tasks.count == 2)
        try await host.engine.report(EndTaskCommand(task: tasks[0].token, report: .completed(1), by: .test))
        let failure = TaskFailure(type: "broken", message: "m")
        try await host.engine.report(EndTaskCommand(task: tasks[1].token, report: .failed(failure), by: .test))
        let set = SetQueueCommand(queue: "task:stock", isPaused: true, by: .test)
        _ = try await host.engine.set(set)
        var text = ""
        // The states are looked for when somebody has asked.
        try await eventually("the oldest is known") {
            text = try await host.answers(to: [.get("/metrics")])[0].text
            return text.contains("wfd_oldest_in_state_seconds{")
        }
        #expect(Self.sample(text, #"wfd_effects{queue="task:stock",state="ready"}"#) == 1)
        #expect(Self.sample(text, #"wfd_effects{queue="task:stock",state="leased"}"#) == 0)
        #expect(Self.sample(text, #"wfd_effect_attempts_total{queue="task:stock",outcome="done"}"#) == 1)
        #expect(Self.sample(text, #"wfd_effect_attempts_total{queue="task:stock",outcome="failed"}"#) == 1)
        #expect(Self.sample(text, #"wfd_effect_start_delay_seconds_count{queue="task:stock"}"#) == 2)
        #expect(Self.sample(text, #"wfd_effect_queue_paused{queue="task:stock"}"#) == 1)
        // A worker counts for a minute, which may be over.
        #expect(Self.sample(text, #"wfd_effect_workers{queue="task:stock"}"#).map { $0 <= 1 } == true)
        #expect(Self.sample(text, #"wfd_effect_oldest_due_seconds{queue="task:stock"}"#).map { $0 >= 0 } == true)
        #expect(
            Self.sample(text, #"wfd_oldest_in_state_seconds{machine="parcel",state="packing"}"#).map { $0 >= 0 } == true
        )
        try await host.stop()
    }

    @Test func aSortedListGoesOnWhereItEnded() async throws {
        let host = try await Self.host(machines: 2, instances: 3)
        var names: [String] = []
        var page = ""
        repeat {
            let answer = try await host.answers(to: [.get("/v1/instances?sort=name&olderThan=0&limit=4\(page)")])[0]
            guard case .array(let items)? = try answer.object["items"] else { break }
            names += items.compactMap { $0.object?["instance"]?.string }
            #expect(items.allSatisfy { $0.object?["enteredAt"] != nil && $0.object?["inState"] != nil })
            page = try answer.object["nextPage"]?.string.map { "&page=\($0)" } ?? ""
        } while !page.isEmpty
        #expect(names == ["i-1-1", "i-1-2", "i-1-3", "i-2-1", "i-2-2", "i-2-3"])
        try await host.stop()
    }

    @Test func aListByPrefixIsInTheOrderOfNames() async throws {
        let host = try await Self.host(machines: 2, instances: 3)
        var names: [String] = []
        var page = ""
        repeat {
            let answer = try await host.answers(to: [.get("/v1/instances?prefix=i-2&limit=2\(page)")])[0]
            guard case .array(let items)? = try answer.object["items"] else { break }
            names += items.compactMap { $0.object?["instance"]?.string }
            page = try answer.object["nextPage"]?.string.map { "&page=\($0)" } ?? ""
            for other in ["", "prefix=i-1", "prefix=i-2&sort=age"] where !page.isEmpty {
                let refused = try await host.answers(to: [.get("/v1/instances?\(other)\(page)")])[0]
                #expect(refused.status == 400 && refused.text.contains("another list"), "\(refused.text)")
            }
        } while !page.isEmpty
        #expect(names == ["i-2-1", "i-2-2", "i-2-3"])
        let answers = try await host.answers(to: [
            .get("/v1/instances?prefix="), .get("/v1/instances?prefix=%25"), .get("/v1/instances?prefix=i&prefix=j"),
            .get("/v1/instances?prefix=i-&sort=name&machine=m1"),
        ])
        #expect(answers.map(\.status) == [400, 200, 400, 200])
        #expect(answers[0].text.contains("'prefix' must not be empty"))
        #expect(try answers[1].object["items"] == [] && answers[2].text.contains("'prefix' stands twice"))
        #expect(answers[3].text.contains("i-1-3") && !answers[3].text.contains("i-2"))
        try await host.stop()
    }

    @Test func aPageOfAnotherListIsRefused() async throws {
        let host = try await Self.host(machines: 1, instances: 3)
        let first = try await host.answers(to: [.get("/v1/instances?sort=age&olderThan=0&limit=1")])[0]
        let page = try #require(try first.object["nextPage"]?.string)
        let tally = try await host.answers(to: [.get("/v1/tally?limit=1")])[0]
        let tallyPage = try #require(try tally.object["nextPage"]?.string)
        let targets = [
            "/v1/instances?page=\(page)", "/v1/instances?sort=name&olderThan=0&page=\(page)",
            "/v1/instances?sort=age&page=\(page)", "/v1/instances?sort=age&olderThan=0&failure=x&page=\(page)",
            "/v1/tally?page=\(page)", "/v1/tally?machine=m1&page=\(tallyPage)", "/v1/timers?page=\(tallyPage)",
        ]
        for target in targets {
            let answer = try await host.answers(to: [.get(target)])[0]
            #expect(answer.status == 400 && answer.text.contains("another list"), "\(target): \(answer.text)")
        }
        let bad = try await host.answers(to: [.get("/v1/instances?olderThan=2q")])[0]
        #expect(bad.status == 400 && bad.text.contains("'2q' is no delay"))
        let missing = try await host.answers(to: [.get("/v1/failures?machine=m"), .get("/v1/tally?machine=m")])
        #expect(missing.map(\.status) == [404, 404])
        try await host.stop()
    }
}
