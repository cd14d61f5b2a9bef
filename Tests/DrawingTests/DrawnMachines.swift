import DaemonTesting
import Foundation
import Statechart

/// Machines to draw: those of files, and random ones.
enum DrawnMachines {
    /// The root of the package, two folders above this one.
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The folder of the pictures and their machines.
    static let pictures = root.appending(path: "Tests/Pictures")

    /// Returns the machine of a file, by its path in the package.
    static func machine(at path: String) throws -> Machine {
        try DefinitionReader.read(String(contentsOf: root.appending(path: path), encoding: .utf8)).machine
    }

    /// Returns the machines in all folders of examples, by name.
    static func examples() throws -> [(name: String, machine: Machine)] {
        let folders = ["Examples", "Examples/shop", "Examples/clients", "Tests/WorkflowInterchangeTests/Documents"]
        return try folders.flatMap { try files(in: root.appending(path: $0)) }.compactMap { file in
            guard file.pathExtension == "yaml" else { return nil }
            let text = try String(contentsOf: file, encoding: .utf8)
            guard let reading = try? DefinitionReader.read(text) else { return nil }
            return (file.lastPathComponent, reading.machine)
        }
    }

    /// Returns the machines of the conformance vectors, by name; none if their folder does not exist.
    static func vectors() throws -> [(name: String, machine: Machine)] {
        let named = ProcessInfo.processInfo.environment["CONFORMANCE"].map { URL(filePath: $0) }
        let folder = named ?? root.deletingLastPathComponent().appending(path: "shared/conformance")
        let folders = ["statechart", "invoke/daemon", "invoke/library"].map { folder.appending(path: $0) }
        return try folders.flatMap { try files(in: $0) }.compactMap { file in
            guard let vector = try? JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any],
                let definition = vector["definition"]
            else { return nil }
            let text = String(decoding: try JSONSerialization.data(withJSONObject: definition), as: UTF8.self)
            return (try? DefinitionReader.read(text, syntax: .json)).map { (file.lastPathComponent, $0.machine) }
        }
    }

    private static func files(in folder: URL) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }

    /// Returns a random machine; of those that the seed gives, the first legal one.
    static func random(seed: UInt64, _ number: Int, most: Int = 40, isCalm: Bool = false) -> Machine {
        for attempt in 0... {
            var generator = RandomChart(random: SeededRandom(seed: seed, number, attempt), most: most, isCalm: isCalm)
            if let reading = try? DefinitionReader.read(generator.text()) { return reading.machine }
        }
        fatalError("no seed gives a legal machine")
    }

    /// Returns a machine of a number of states, three levels deep, most of which lead to the next one.
    static func large(_ count: Int) throws -> Machine {
        let groups = (count + 9) / 10
        let states = (0..<groups).map { group in
            let inner = (0..<8).map { step in
                "s\(step): {on: {next: s\((step + 1) % 8), stop: '#end'}, after: {\(step + 1)h: s0}}"
            }
            let next = "g\((group + 1) % groups)"
            return
                "g\(group): {initial: s0, on: {done: \(next), cancel: end}, states: {\(inner.joined(separator: ", ")), "
                + "last: {type: final}}}"
        }
        let text = "{id: large, initial: g0, states: {\(states.joined(separator: ", ")), end: {id: end, type: final}}}"
        return try DefinitionReader.read(text).machine
    }
}
