import DaemonTesting
import Foundation
import Statechart
import Testing
import WorkflowInterchange

/// Tests that Mermaid draws the generated diagrams with all their arrows.
@Suite struct MermaidDrawingTests {
    private static let seed: UInt64 = 32

    private static let script =
        ProcessInfo.processInfo.environment["MERMAID"] ?? "/usr/lib/node_modules/mermaid/dist/mermaid.min.js"

    @Test(
        .enabled(
            if: program("chromium") != nil && FileManager.default.fileExists(atPath: script),
            "there is no 'chromium' in the PATH, or no Mermaid where the variable MERMAID says"),
        .timeLimit(.minutes(20)))
    func mermaidDrawsEveryDiagram() async throws {
        let chromium = try #require(Self.program("chromium"))
        var texts = try DefinitionFolders.examples().map(\.text)
        for number in 0..<200 {
            var random = SeededRandom(seed: Self.seed, number)
            texts.append(Self.machine(&random))
        }
        let diagrams = try texts.map { MermaidDiagram.text(of: try DefinitionReader.read($0).machine) }
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let page = try folder.write(try Self.page(diagrams), to: "diagrams.html")
        let arguments = ["--headless", "--no-sandbox", "--virtual-time-budget=600000", "--dump-dom", "file://" + page]
        let result = try await RunningProgram(chromium.path, arguments, environment: Programs.environment()).result()
        #expect(result.output.contains("drawn \(diagrams.count);"), "seed \(Self.seed): \(result.output.suffix(2_000))")
    }

    /// Returns a page that draws all diagrams, and then reports how many have all their arrows, and which lack some.
    private static func page(_ diagrams: [String]) throws -> String {
        let list = String(decoding: try JSONEncoder().encode(diagrams), as: UTF8.self).replacing("</", with: "<\\/")
        return """
            <html><body><pre id="result"></pre><script src="file://\(script)"></script><script>
            (async () => {
              mermaid.initialize({ startOnLoad: false, maxEdges: 10000, maxTextSize: 1000000 });
              let drawn = 0; const failed = [];
              for (const [index, text] of \(list).entries()) {
                try {
                  const { svg } = await mermaid.render("d" + index, text);
                  const wanted = text.split("\\n").filter((line) => line.includes(" --> ")).length;
                  const page = new DOMParser().parseFromString(svg, "text/html");
                  const found = page.querySelectorAll("path.transition").length;
                  if (found < wanted) throw new Error(found + " of " + wanted + " arrows");
                  drawn += 1;
                } catch (error) { failed.push(index + ": " + error + "\\n" + text); }
              }
              document.getElementById("result").textContent = "drawn " + drawn + "; " + failed.join("\\n");
            })();
            </script></body></html>
            """
    }

    /// Returns a machine of a few levels, with regions, and transitions from anywhere to anywhere.
    private static func machine(_ random: inout SeededRandom) -> String {
        var count = 0
        let states = states(levels: 3, &count, &random)
        // Each transition names its target by id.
        let parts = states.components(separatedBy: "TARGET")
        let targets = parts.dropFirst().map { part in "'#s\(Int.random(in: 0..<count, using: &random))-id'" + part }
        return "{id: m, initial: s0, states: {\(parts[0])\(targets.joined())}}"
    }

    /// Returns two or three states, with ids in their order, and their content.
    private static func states(
        levels: Int, _ count: inout Int, _ random: inout SeededRandom
    ) -> String {
        var texts: [String] = []
        for _ in 0..<Int.random(in: 2...3, using: &random) {
            let id = "s\(count)"
            count += 1
            var text = "\(id): {id: \(id)-id, on: {e\(count): TARGET}"
            if levels > 0, Int.random(in: 0..<3, using: &random) > 0 {
                let isParallel = Bool.random(using: &random)
                let first = "s\(count)"
                let inner = states(levels: levels - 1, &count, &random)
                text += (isParallel ? ", type: parallel" : ", initial: \(first)") + ", states: {\(inner)}"
            }
            texts.append(text + "}")
        }
        return texts.joined(separator: ", ")
    }

    private static func program(_ name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
