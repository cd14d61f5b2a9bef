import DaemonTesting
import Foundation
import SQLiteStore
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Uses a file with a forged value in every way that a person or a program could.
struct ColumnWalk {
    let folder: TemporaryFolder
    /// The path of the file without the value.
    let specimen: String

    /// Tries one cell. Returns the faults; none if the file was served, or refused as damaged.
    func faults(of cell: ColumnCell, number: Int) async throws -> [String] {
        let path = folder.path("\(number).db")
        try FileManager.default.copyItem(atPath: specimen, toPath: path)
        // A file that is left goes with the folder.
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard try cell.forge(path) else { return [] }
        var faults: [String] = []
        do {
            let file = try SQLiteFile.open(at: path)
            _ = try await Verification(of: file).run { _ in }
            try file.close()
        } catch let error as StoreError {
            if !Self.isDamage(error) { faults.append("verify: \(error.code) \(error)") }
        }
        if number.isMultiple(of: 4) { faults += try await restore(path) }
        do {
            let host = try await ServerHost(database: path, place: .fixed(ColumnSpecimen.place))
            faults += try await ask(host)
            try await host.stop()
        } catch let error as StoreError {
            if !Self.isDamage(error) { faults.append("serve: \(error.code) \(error)") }
        }
        return faults
    }

    private static func isDamage(_ error: StoreError) -> Bool {
        switch error.code {
        case .damaged, .corrupt, .foreignFile, .newerSchema, .olderBuild, .clockBehind, .otherClock: true
        default: false
        }
    }

    private func restore(_ path: String) async throws -> [String] {
        do {
            _ = try await StoreRestoration(backup: path, database: path + ".new", isDryRun: true) { reader in
                try await Verification(of: reader).requireNone { _ in }
            }.run(clock: SystemClock().now())
            return []
        } catch {
            return Self.isDamage(error) ? [] : ["restore: \(error.code) \(error)"]
        }
    }

    private func ask(_ host: ServerHost) async throws -> [String] {
        var faults: [String] = []
        for request in Self.requests {
            let answer: RawAnswer
            do {
                answer = try await host.answers(to: [request])[0]
            } catch let error as TestingError {
                faults.append("\(request.method) \(request.target): \(error)")
                continue
            }
            if let fault = Self.fault(answer) { faults.append("\(request.method) \(request.target): \(fault)") }
        }
        return faults
    }

    /// Returns the fault in an answer: a problem of the server that is no damage, or a body that cannot be read.
    private static func fault(_ answer: RawAnswer) -> String? {
        guard answer.status < 500 else {
            let isDamage = (try? answer.object["type"]) == "database-damaged"
            return isDamage ? nil : "\(answer.status) \(answer.text.prefix(300))"
        }
        let type = answer.headers["content-type"] ?? ""
        let isLines = type.contains("ndjson") || type.contains("jsonl")
        guard type.contains("json"), !answer.body.isEmpty else { return nil }
        let texts = isLines ? answer.body.split(separator: UInt8(ascii: "\n")).map(Array.init) : [answer.body]
        for text in texts {
            do {
                let json = try JSONReader.value(from: text)
                let problem = json.object?["error"]?.object ?? json.object
                guard isLines, let type = problem?["type"]?.string,
                    ["internal-error", "storage-unavailable"].contains(type)
                else { continue }
                return String(decoding: text.prefix(300), as: UTF8.self)
            } catch {
                return "no JSON (\(error)): \(String(decoding: text.prefix(200), as: UTF8.self))"
            }
        }
        return nil
    }
}

extension ColumnWalk {
    private static let names = ["o1", "o2", "o4", "o5", "o6", "o8", "p1"]

    /// The requests: every GET of the table of routes, then requests that change something.
    private static let requests: [RawRequest] = reads + writes

    private static var reads: [RawRequest] {
        var requests: [RawRequest] = []
        for route in Route.all where route.method == .get {
            // A stream never ends, and is read by `journal`; a backup is fetched once.
            if [.streamAll, .streamInstance, .fetchBackup].contains(route) { continue }
            let names = route.template.parameters.contains("instance") ? names : [""]
            for name in names {
                requests.append(
                    .get(
                        route.template.path(
                            route.template.parameters.map { parameter in
                                switch parameter {
                                case "instance": name
                                case "machine": "order"
                                case "version": "1"
                                case "run": "one"
                                default: "x"
                                }
                            })))
            }
        }
        let queries = [
            "/v1/instances?sort=entered", "/v1/instances?state=open.a&machine=order", "/v1/instances?failure=division",
            "/v1/instances?olderThan=1ms", "/v1/effects?queue=stock", "/v1/effects?instance=o2&state=leased",
            "/v1/bulk/two", "/v1/instances/o1?seq=2", "/v1/instances/o1/history?detail=true",
            "/v1/instances/o1/replay?trace=true", "/v1/tally?machine=order", "/v1/failures?machine=order",
        ]
        return requests + queries.map { .get($0) }
    }

    private static var writes: [RawRequest] {
        var requests: [RawRequest] = []
        for name in names {
            let path = "/v1/instances/\(name)"
            requests.append(.post(path + "/verify", "{}"))
            requests.append(
                .post(path + "/events", #"{"event": "count"}"#, headers: [(name: "Idempotency-Key", value: "\"k\"")]))
            requests.append(.post(path + "/events?dryRun=true&explain=true", #"{"event": "go"}"#))
            requests.append(.post(path + "/retry", #"{"reason": "r", "dryRun": true}"#))
            requests.append(.post(path + "/migrate", #"{"reason": "r", "dryRun": true}"#))
            requests.append(
                .post(path + "/reset", #"{"to": 1, "reason": "r", "invocations": "again", "dryRun": true}"#))
            requests.append(.post(path + "/redact", #"{"reason": "r", "seqs": "1", "dryRun": true}"#))
            requests.append(.post(path + "/effects/pay", #"{"action": "retry", "reason": "r"}"#))
        }
        let names = ["o9", "o3", "o2", "p1", "o1"]
        let bulk = #""action": {"verb": "send", "event": "count"}, "reason": "r""#
        return requests + [
            .post(
                "/v1/instances", #"{"machine": "order", "instance": "o7"}"#,
                headers: [(name: "Idempotency-Key", value: "\"start-7\"")]),
            .post("/v1/instances", #"{"machine": "order", "instance": "new"}"#),
            .post(
                "/v1/events", names.map { #"{"instance": "\#($0)", "event": "go"}"# }.joined(separator: "\n"),
                as: "application/x-ndjson"),
            .post("/v1/tasks/stock/lease", #"{"max": 10, "wait": 0}"#),
            RawRequest(
                "PATCH", "/v1/queues/stock", headers: [("Content-Type", "application/json")],
                body: Array(#"{"paused": true}"#.utf8)),
            .post("/v1/machines/order/active", #"{"version": 1}"#),
            .post("/v1/machines/order/retention", #"{"retention": "1d", "dryRun": true}"#),
            .post("/v1/machines/pair/resume", #"{"run": "again"}"#),
            .post("/v1/purge", #"{"finishedBefore": "1ms", "reason": "r", "dryRun": true}"#),
            .post("/v1/bulk", #"{"run": "three", \#(bulk), "select": {"machine": "order"}, "dryRun": true}"#),
            .post("/v1/bulk", #"{"run": "four", \#(bulk), "select": {"machine": "order"}}"#),
            .post("/v1/bulk/two/stop", "{}"), .post("/v1/bulk/two/resume", "{}"),
            .post("/v1/instances/o1/cancel", #"{"reason": "r"}"#),
            RawRequest("DELETE", "/v1/instances/o5?reason=r&confirm=o5"),
            .post("/v1/release", "{}"), .get("/readyz"), .get("/v1/status"), .get("/metrics"),
        ]
    }
}
