import Foundation
import Statechart
import Testing
import WorkflowInterchange

/// The lines of `docs/importing.md` that print an XState machine as JSON.
@Suite struct XStateExportTests {
    /// A module with what `setup` and `createMachine` of XState 5 give, as far as it is seen from outside: machines
    /// with a configuration and implementations, and functions that have properties.
    private static let module = """
        const made = (name, properties) => Object.assign({ [name]() {} }[name], properties);
        const assign = (assignment) => made("assign", { type: "xstate.assign", assignment, resolve() {} });
        const raise = (event) => made("raise", { type: "xstate.raise", event, resolve() {}, execute() {} });
        const log = (value, label) => made("log", { type: "xstate.log", value, label, resolve() {}, execute() {} });
        const and = (guards) => made("and", { check() {}, guards });
        const not = (guard) => made("not", { check() {}, guards: [guard] });
        export const machine = {
          root: {},
          config: {
            id: "door", initial: "shut", context: { tries: 0, code: null },
            states: {
              shut: {
                entry: [log("shut"), assign({ tries: 0, code: ({ event }) => event.code })],
                on: {
                  OPEN: { target: "open", guard: "mayOpen" },
                  KNOCK: { actions: ["ring", { type: "light", params: { on: true } }, { type: "light", params: { on: false } }] },
                },
              },
              open: {
                after: { SHORT: "shut", LONG: "shut" },
                on: { PUSH: { target: "shut", guard: ({ context }) => context.tries > 1 } },
              },
            },
          },
          implementations: {
            actors: {}, delays: { SHORT: 500, LONG: ({ context }) => context.tries * 1000 },
            guards: { mayOpen: and(["isDay", not("isLocked")]), isDay: () => true },
            actions: { ring: raise({ type: "RUNG" }), count: () => {} },
          },
        };
        """

    @Test(.timeLimit(.minutes(2))) func theScriptOfThePagePrintsAMachine() throws {
        guard let node = Self.program("node") else {
            print("theScriptOfThePagePrintsAMachine: skipped, there is no 'node' in the PATH")
            return
        }
        let imported = try XStateImport.definition(from: Self.json(node: node))
        let (definition, notes) = Documents.lines(imported)
        #expect(definition == (try Documents.text("door.yaml")))
        #expect(notes == (try Documents.text("door.txt")))
    }

    /// What the script prints of the module.
    private static func json(node: URL) throws -> String {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: UUID().uuidString)
        try files.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? files.removeItem(at: folder) }
        let (script, machine) = (folder.appending(path: "xstate2json.mjs"), folder.appending(path: "machine.mjs"))
        try self.script().write(to: script, atomically: false, encoding: .utf8)
        try module.write(to: machine, atomically: false, encoding: .utf8)
        let process = Process()
        process.executableURL = node
        process.arguments = [script.path, machine.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: printed, as: UTF8.self)
    }

    /// The lines of `docs/importing.md`, from its `import` to its `console.log`.
    private static func script() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/importing.md"), encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.contains("import { pathToFileURL }") })
        let last = try #require(lines[first...].firstIndex { $0.contains("console.log(JSON.stringify(") })
        #expect(last - first == 9)
        return lines[first...last].map { $0 + "\n" }.joined()
    }

    private static func program(_ name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
