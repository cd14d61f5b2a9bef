import Foundation
import GRDB
import IdentityTesting
import SQLiteStore
import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests verifications beside instances that start, change their status and end without a pause.
@Suite(.tags(.heavy)) struct BusyVerificationTests {
    private static let job = """
        id: job
        initial: open
        context: {n: 0}
        states:
          open:
            after:
              1ms: {actions: {assign: {n: context.n + 1}}}
              1h: closed
            on:
              finish: closed
              spoil: {actions: {send: {event: boom}}}
              boom: {actions: {assign: {n: 1 / (context.n - context.n)}}}
          closed: {type: final}
        """

    /// Starts instances, ends every second one and lets the others fail, and fail again after a retry. Returns their
    /// number.
    private func work(_ engine: Engine, _ name: String) async throws -> Int {
        var random = SystemRandomNumberGenerator()
        func key() -> RequestKey? { RequestKey(text: UniqueID(at: engine.now, random: &random).text) }
        var count = 0
        while !Task.isCancelled {
            let instance = "\(name)-\(count)"
            _ = try await engine.start(StartCommand(machine: "job", instance: instance, key: key()))
            let event = Event(name: count.isMultiple(of: 2) ? "finish" : "spoil")
            _ = try await engine.send(SendCommand(instance: instance, event: event, key: key()))
            if !count.isMultiple(of: 2) { _ = try await engine.repair(RepairCommand(instance: instance, .retry)) }
            count += 1
        }
        return count
    }

    @Test(.timeLimit(.minutes(20))) func nothingIsFoundWhileInstancesComeAndGo() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let engine = running.engine
        _ = try await engine.apply(Self.job, syntax: .yaml)
        let findings = Collected<String>()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<2 {
                group.addTask { try await work(engine, "w\(worker)") }
            }
            for _ in 0..<3 {
                // Each verification ends, although the store grows all the while.
                let counts = try await Verification(of: engine.store).run { event in
                    if case .inconsistency(let finding) = event { findings.add("\(finding)") }
                }
                #expect(counts.differences == 0)
            }
            group.cancelAll()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(findings.all == [])
        #expect(counts.allSatisfy { $0 > 2 })
        // A last verification, when nothing is written, finds everything that was counted.
        let last = try await Verification(of: engine.store).run { event in
            if case .inconsistency(let finding) = event { findings.add("\(finding)") }
        }
        #expect(last.instances == counts.reduce(0, +) && last.differences == 0)
        try await running.stop()
    }

    /// Writes, erases and deletes one instance after another, and migrates many at once.
    private func erase(_ engine: Engine, _ name: String, until ended: Collected<Bool>) async throws -> Int {
        var count = 0
        // Each round is carried to its end: a command that is cancelled reports less.
        while ended.all.isEmpty {
            let text = "\(name)-\(count)"
            let (instance, renamed) = (InstanceName(rawValue: text), InstanceName(rawValue: text + "-new"))
            _ = try await engine.start(
                StartCommand(machine: "unit", instance: text, key: RequestKey(text: text)))
            for number in 1...300 {
                _ = try await engine.send(
                    SendCommand(instance: text, event: Event(name: "put", data: ["who": .int(Int64(number))])))
            }
            let targets = BulkRequest.Targets.names(1, BulkRequest.digest(of: [instance]))
            let request = BulkRequest(action: .send(event: "flip", data: nil), targets: targets, reason: "r")
            let run = try await engine.begin(run: "run-\(text)", request, [instance], by: .test)
            try await eventually("the run to end") {
                try await engine.run(named: run.record.key.name, by: .test).record.state == .done
            }
            var name = instance
            for new in [nil, renamed, nil] {
                do {
                    _ = try await engine.redact(
                        RedactCommand(
                            instance: name, paths: ["who"], newName: name == renamed ? nil : new, reason: "r", by: .test
                        ))
                } catch {
                    // A verification still reads the log: it is emptied later.
                    guard error.code == .storageUnavailable else { throw error }
                }
                if (try? await engine.instance(named: renamed.rawValue)) != nil { name = renamed }
            }
            if count % 2 == 0 {
                _ = try await engine.delete(DeleteCommand(instance: name, takesUnfinished: true, by: .test))
            }
            count += 1
        }
        return count
    }

    /// Instances that are half erased, half deleted or half done count as correct at every moment of a verification.
    @Test(.timeLimit(.minutes(20))) func nothingIsFoundWhileInstancesAreErasedAndDeleted() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let engine = running.engine
        _ = try await engine.apply(UnitMachine.text, syntax: .yaml)
        let findings = Collected<String>()
        let ended = Collected<Bool>()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<2 {
                group.addTask { try await erase(engine, "w\(worker)", until: ended) }
            }
            for turn in 0..<6 {
                var limits = StoreLimits()
                // Much happens between two slices.
                limits.sliceRows = turn % 2 == 0 ? 50 : 2_000
                let file = try SQLiteFile.open(at: folder.path + "/wfd.db", limits: limits)
                _ = try await Verification(of: file).run { event in
                    if case .inconsistency(let finding) = event { findings.add("\(finding)") }
                }
                try file.close()
            }
            ended.add(true)
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(findings.all == [])
        #expect(counts.allSatisfy { $0 > 0 })
        let last = try await Verification(of: engine.store).run { event in
            if case .inconsistency(let finding) = event { findings.add("\(finding)") }
        }
        #expect(findings.all == [] && last.differences == 0)
        try await running.stop()
    }

    /// A page of the journal is damaged: everything else is compared all the same.
    @Test func howMuchCouldNotBeReadIsTold() async throws {
        let file = try await WrittenFile()
        let root = try file.read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'journal'")
        }
        var bytes = try Data(contentsOf: URL(filePath: file.path))
        let page = (try #require(root) - 1) * 4_096
        func number(at place: Int, _ count: Int) -> Int {
            bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
        }
        // The second child of the table's root (https://sqlite.org/fileformat.html, section 1.6).
        #expect(bytes[page] == 5)
        let leaf = number(at: page + number(at: page + 14, 2), 4)
        bytes.replaceSubrange((leaf - 1) * 4_096..<leaf * 4_096, with: Data(count: 4_096))
        try bytes.write(to: URL(filePath: file.path))
        // The slices before the page are compared.
        var limits = StoreLimits()
        limits.sliceRows = 3
        let (findings, counts) = try await file.verify(nil, EngineLimits(), limits)
        let told = try #require(findings.first)
        #expect(told.hasPrefix("Cannot read '\(file.path)': database disk image is malformed"), "\(findings)")
        let numbers = try #require(
            told.firstMatch(of: /; (\d+) of 320 events and 5 of 5 instances could not be compared$/), "\(findings)")
        #expect((1..<320).contains(Int(numbers.1) ?? 0))
        #expect(counts?.machines == 2)
    }
}
