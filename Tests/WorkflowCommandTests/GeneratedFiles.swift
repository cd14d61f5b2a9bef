import DaemonTesting
import Foundation
import Testing
import WorkflowClientTesting

/// Compares the output of `wfctl generate swift` to the letter with the files of `Tests/GeneratedMachines`. They are a
/// target, so they are compiled as well.
///
/// With `UPDATE_GENERATED=1` in the environment, the files are written instead.
struct GeneratedFiles {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let hostile = "Tests/WorkflowCommandTests/Definitions"

    /// The file in the package of examples, which reads no YAML.
    private static let seed = "Examples/Swift/Sources/Seeds/Order"

    /// The files, each with its definition and its options.
    static let all: [(name: String, definition: String, options: [String])] = [
        ("Editor", "Examples/editor.yaml", ["--public"]),
        ("Order", "Examples/order.yaml", ["--public"]),
        ("Profile", "Examples/profile.yaml", ["--public"]),
        ("Regions", "\(hostile)/regions.yaml", ["--public"]),
        ("Request", "Examples/request.yaml", ["--public"]),
        ("Rocket", "Examples/rocket.yaml", ["--public"]),
        ("Screens", "Examples/screens.yaml", ["--public"]),
        ("Timers", "\(hostile)/timers.yaml", ["--public"]),
        ("Values", "\(hostile)/values.json", ["--public"]),
        ("Words", "\(hostile)/words.yaml", ["--public", "--name", "Words"]),
        (seed, "Examples/order.yaml", ["--format", "json", "--public"]),
        ("InternalRegions", "\(hostile)/regions.yaml", ["--name", "InternalRegions"]),
        ("InternalValues", "\(hostile)/values.json", ["--name", "InternalValues", "--format", "json"]),
        ("InternalWords", "\(hostile)/words.yaml", ["--name", "InternalWords", "--format", "json"]),
    ]

    private static func path(_ name: String) -> String {
        name == seed ? "\(name).swift" : "Tests/GeneratedMachines/\(name).swift"
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
    }

    /// Runs the verb with files of the repository.
    static func generate(_ definition: String, _ options: [String]) async throws -> CommandHarness.Outcome {
        let harness = CommandHarness(files: [definition: try text(definition)])
        return await harness.run(
            ["generate", "swift", definition] + options, transport: ScriptedTransport([])
        ).outcome
    }

    @Test(arguments: all.map(\.name))
    func theyAreTheSame(name: String) async throws {
        let file = try #require(Self.all.first { $0.name == name })
        let outcome = try await Self.generate(file.definition, file.options)
        #expect(outcome.exit == 0, "\(outcome.errors)")
        let path = Self.path(name)
        if ProcessInfo.processInfo.environment["UPDATE_GENERATED"] == "1" {
            try Data(outcome.output.utf8).write(to: Self.root.appendingPathComponent(path))
        }
        #expect(outcome.output == (try Self.text(path)))
    }

    @Test func everyExampleIsAmongThem() throws {
        let examples = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("Examples").path
        ).filter { $0.hasSuffix(".yaml") }.map { "Examples/\($0)" }
        #expect(Set(examples).isSubset(of: Self.all.map(\.definition)))
    }

    /// The files are formatted without the line that keeps the formatter away.
    @Test func theFormatterLeavesThemAsTheyAre() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("generated-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // What is left is the system's to remove.
        for file in Self.all {
            let text = try Self.text(Self.path(file.name))
            let shown = text.replacing("// swift-format-ignore-file\n", with: "")
            #expect(shown != text)
            try Data(shown.utf8).write(
                to: folder.appendingPathComponent(file.name.replacing("/", with: "-") + ".swift"))
        }
        let arguments = [
            "swift", "format", "--in-place", "--recursive", "--configuration",
            Self.root.appendingPathComponent(".swift-format").path, folder.path,
        ]
        let result = try await RunningProgram("/usr/bin/env", arguments, environment: Programs.environment())
            .result()
        #expect(result.end == .exited(0), "\(result.errors)")
        for file in Self.all {
            let text = try Self.text(Self.path(file.name))
            let formatted = try Data(
                contentsOf: folder.appendingPathComponent(file.name.replacing("/", with: "-") + ".swift"))
            #expect(
                String(decoding: formatted, as: UTF8.self)
                    == text.replacing("// swift-format-ignore-file\n", with: ""), "\(file.name)")
        }
    }
}
