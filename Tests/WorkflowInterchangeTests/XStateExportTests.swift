import DaemonTesting
import Foundation
import Statechart
import Testing
import WorkflowInterchange

/// Tests the lines of `docs/importing.md` that print an XState machine as JSON.
@Suite struct XStateExportTests {
    /// A module with the visible parts of `setup` and `createMachine` of XState 5: machines with a configuration and
    /// implementations, and functions that have properties.
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

    @Test(.timeLimit(.minutes(20))) func theScriptOfThePagePrintsAMachine() async throws {
        guard let node = Self.program("node") else {
            print("theScriptOfThePagePrintsAMachine: skipped, there is no 'node' in the PATH")
            return
        }
        let imported = try await XStateImport.definition(from: Self.json(node: node))
        let (definition, notes) = Documents.lines(imported)
        #expect(definition == (try Documents.text("door.yaml")))
        #expect(notes == (try Documents.text("door.txt")))
    }

    /// Returns the output of the script for the module.
    private static func json(node: URL) async throws -> String {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let script = try folder.write(self.script(), to: "xstate2json.mjs")
        let machine = try folder.write(module, to: "machine.mjs")
        let result = try await RunningProgram(node.path, [script, machine], environment: Programs.environment())
            .result()
        #expect(result.end == .exited(0), "\(result.errors)")
        return result.output
    }

    /// Returns the lines of `docs/importing.md`, from its `import` to its `console.log`.
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
