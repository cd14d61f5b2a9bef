import Foundation
import GRDB
import SQLiteStore
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

@Suite struct VerificationTests {
    @Test func nothingIsFoundInAnUntouchedFile() async throws {
        let (findings, counts) = try await WrittenFile().verify(nil)
        #expect(findings == [])
        #expect(
            counts?.description == "5 instances, 318 events, 1 snapshot, 2 timers, 8 keys, 2 machine versions: "
                + "no difference")
    }

    @Test(arguments: ["long", "order-7", "oven-1", "oven-2", "oven-3"])
    func nothingIsFoundInOneInstance(_ name: String) async throws {
        let (findings, counts) = try await WrittenFile().verify(name)
        #expect(findings == [])
        #expect(counts?.instances == 1)
    }

    @Test func anInstanceThatIsNotThereIsNotVerified() async throws {
        let counts = try await WrittenFile().verify("nobody").counts
        #expect(counts == nil)
    }

    /// The verification leaves none of its own files beside the file.
    @Test func aFileIsReadAndNothingIsLeftBesideIt() async throws {
        let file = try await WrittenFile()
        let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
        _ = try await file.findings()
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.folder.path) == ["wfd.db"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
    }

    /// Such an edit would hide an instance.
    @Test func anInstanceThatSaysItIsPurgedIsFound() async throws {
        let file = try await WrittenFile()
        try file.forge("UPDATE instance SET status = 'purging' WHERE name = 'order-7'")
        let (findings, counts) = try await file.verify(nil)
        #expect(
            findings == [
                "order-7: its status is 'purging', but it is not what a deletion leaves",
                "the table 'purge' does not have the instances that are deleted",
            ])
        #expect(counts?.instances == 5)
    }

    /// Rows that a newer engine wrote by other rules have a chain that can be checked, and steps that cannot be
    /// replayed.
    @Test func stepsUnderUnknownRulesAreNotTakenAgain() async throws {
        let file = try await WrittenFile()
        try file.forge("UPDATE machine SET semantics = 3 WHERE name = 'oven'")
        for number in 1...3 { try file.hashAnew("oven-\(number)", semantics: 3) }
        try file.sealAnew("oven")
        let (findings, counts) = try await file.verify(nil)
        #expect(findings == [])
        #expect(counts?.chainOnly == 3)
        try file.forge("UPDATE journal SET event = 'heaa' WHERE position = {oven-2/2}")
        #expect(try await file.findings() == ["oven-2, seq 2: the digest does not fit what the row says"])
    }

    /// The verification includes rows that are only in the write-ahead log, beside the writing process.
    @Test(.timeLimit(.minutes(20)))
    func nothingIsFoundWhileOthersWrite() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        for number in 1...20 { try await running.start("lamp-\(number)") }
        let writing = Task {
            var count = 0
            // So many that there is always something new, and few enough to be verified on a machine with much to do.
            while !Task.isCancelled, count < 100 {
                for number in 1...20 { _ = try await running.flip("lamp-\(number)") }
                try await running.start("late-\(count)")
                count += 1
            }
            return count
        }
        var limits = EngineLimits()
        limits.verifiedInstances = 7
        let findings = Collected<String>()
        var events = 0
        for _ in 1...6 {
            let beside = try await Verification(of: running.engine.store, limits: limits).run { event in
                if case .inconsistency(let finding) = event { findings.add("\(finding)") }
            }
            events += beside.events
            let file = try SQLiteFile.open(at: folder.path + "/wfd.db")
            let from = try await Verification(of: file).run { event in
                if case .inconsistency(let finding) = event { findings.add("\(finding)") }
            }
            events += from.events
            try file.close()
            for name in ["lamp-1", "lamp-20"] as [InstanceName] {
                _ = try await Verification(of: running.engine.store).run(instance: InstanceKey(name, in: .default)) {
                    event in
                    if case .inconsistency(let finding) = event { findings.add("\(finding)") }
                }
            }
        }
        writing.cancel()
        let rounds = try await writing.value
        try await running.stop()
        #expect(findings.all == [])
        #expect(rounds > 0)
        #expect(events > 200)
    }

    @Test func progressIsTold() async throws {
        let file = try await WrittenFile()
        var limits = EngineLimits()
        limits.progressInterval = .zero
        var store = StoreLimits()
        store.sliceRows = 50
        let opened = try SQLiteFile.open(at: file.path, limits: store)
        let told = Collected<VerificationProgress>()
        _ = try await Verification(of: opened, limits: limits).run { event in
            if case .progress(let progress) = event { told.add(progress) }
        }
        try opened.close()
        #expect(told.all.count > 5)
        #expect(told.all.allSatisfy { $0.total == 320 && $0.done <= 320 })
        #expect(told.all.map(\.done) == told.all.map(\.done).sorted())
    }

    @Test func aFileOfAnotherProgramIsRefused() async throws {
        let folder = try StoreFolder()
        let path = folder.path + "/other"
        try Data("hello".utf8).write(to: URL(fileURLWithPath: path))
        #expect {
            try SQLiteFile.open(at: path)
        } throws: { error in
            (error as? StoreError)?.code == .foreignFile
        }
        #expect {
            try SQLiteFile.open(at: folder.path + "/none")
        } throws: { error in
            (error as? StoreError)?.message == "Cannot open '\(folder.path)/none': No such file or directory"
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other"])
    }

    /// A missing or changed trigger would have let rows be changed.
    @Test func aFileWithAnotherSchemaIsRefused() async throws {
        let file = try await WrittenFile()
        try file.read { try $0.execute(sql: "DROP TRIGGER journal_update") }
        #expect {
            try SQLiteFile.open(at: file.path)
        } throws: { error in
            (error as? StoreError)?.message == "Cannot open '\(file.path)': its schema is not that of version 9: "
                + "the trigger 'journal_update' is missing"
        }
    }
}
