import Foundation
import JSON
import Statechart
import Testing

/// The vectors of a folder beside the project, or of the one that `CONFORMANCE` names. Nobody here wrote them.
@Suite struct StatechartConformanceTests {
    /// What came of one vector.
    private enum Verdict {
        case passed
        case failed(String)
        /// Its definition needs what this version refuses, and the refusal says so.
        case notYet(String)
    }

    private static var folder: URL {
        let named = ProcessInfo.processInfo.environment["CONFORMANCE"].map { URL(filePath: $0) }
        let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (named ?? project.deletingLastPathComponent().appending(path: "shared/conformance"))
            .appending(path: "statechart")
    }

    @Test(.timeLimit(.minutes(2))) func everyVectorPassesOrNeedsWhatIsSaidToBeMissing() throws {
        guard FileManager.default.fileExists(atPath: Self.folder.path) else {
            print("statechart: skipped, there is no folder of conformance vectors")
            return
        }
        let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
        #expect(!files.isEmpty)
        var passed = 0
        var notYet: [String: Int] = [:]
        var failures: [String] = []
        for file in files {
            let vector = try StatechartVector(file: file)
            switch Self.verdict(on: vector) {
            case .passed: passed += 1
            case .notYet(let reason): notYet[reason, default: 0] += 1
            case .failed(let reason): failures.append("\(vector.name): \(reason)")
            }
        }
        print("statechart: \(passed) passed, \(failures.count) failed, \(notYet.values.reduce(0, +)) not yet possible")
        for (reason, count) in notYet.sorted(by: { $0.key < $1.key }) { print("  \(count) not yet: \(reason)") }
        #expect(passed >= 1)
        #expect(failures == [])
    }

    private static func verdict(on vector: StatechartVector) -> Verdict {
        let machine: Machine
        do throws(DefinitionError) {
            machine = try DefinitionReader.read(vector.definition, syntax: .json).machine
        } catch {
            let errors = error.diagnostics.filter { $0.severity == .error }
            if let other = errors.first(where: { !$0.isAboutWhatIsMissing }) { return .failed("\(other)") }
            return .notYet(errors[0].message)
        }
        guard case .accepted(let started) = machine.start() else { return .failed("the start is refused") }
        var snapshot = started.snapshot
        guard let initial = vector.initialConfiguration else {
            return machine.leafIDs(of: snapshot) == ["pass"]
                ? .passed : .failed("ends in \(machine.leafIDs(of: snapshot))")
        }
        guard machine.leafIDs(of: snapshot) == initial else {
            return .failed("starts in \(machine.leafIDs(of: snapshot)), not in \(initial)")
        }
        for line in vector.script {
            guard case .accepted(let step) = machine.step(snapshot, Event(name: line.event, data: line.data)) else {
                return .failed("'\(line.event)' is refused")
            }
            snapshot = step.snapshot
            guard machine.leafIDs(of: snapshot) == line.configuration else {
                return .failed(
                    "'\(line.event)' leads to \(machine.leafIDs(of: snapshot)), not to \(line.configuration)")
            }
        }
        return .passed
    }
}

extension Machine {
    /// The ids of the active leaves.
    fileprivate func leafIDs(of snapshot: Snapshot) -> Set<String> {
        Set(snapshot.configuration.map { self[$0] }.filter(\.isLeaf).map(\.id))
    }
}

extension Diagnostic {
    /// Whether it refuses what a later version will have.
    fileprivate var isAboutWhatIsMissing: Bool { message.contains("this version") }
}
