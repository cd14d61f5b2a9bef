import DaemonTesting
import Foundation
import Statechart
import Testing
import WorkflowInterchange

/// Tests diagrams of machines.
@Suite struct DiagramTests {
    private func machine(_ text: String) throws -> Machine {
        try DefinitionReader.read(text).machine
    }

    private func states(_ paths: [String], of machine: Machine) -> Set<StateIndex> {
        Set(paths.compactMap { machine.state(named: $0) })
    }

    @Test(arguments: [
        ("order", ["order", "packing", "packing.shelf", "packing.shelf.left"]),
        ("names", ["weird.names-1", "a-1.b", "a-1.b.snake_case", "end"]),
    ])
    func machineBecomesItsDiagrams(name: String, active: [String]) throws {
        let machine = try machine(Documents.text(name + ".yaml"))
        let active = states(active, of: machine)
        #expect(MermaidDiagram.text(of: machine, active: active) == (try Documents.text(name + ".mmd")))
        #expect(GraphvizDiagram.text(of: machine, active: active) == (try Documents.text(name + ".dot")))
    }

    @Test func aSmallMachineIsASmallDiagram() throws {
        let machine = try machine("{id: m, initial: a, states: {a: {on: {go: b}}, b: {}}}")
        #expect(
            MermaidDiagram.text(of: machine) == """
                stateDiagram-v2
                    state "a" as s1
                    state "b" as s2
                    [*] --> s1
                    s1 --> s2 : go

                """)
        #expect(
            GraphvizDiagram.text(of: machine) == """
                digraph "m" {
                    compound=true
                    newrank=true
                    fontname="Helvetica"
                    label="m"
                    labelloc=t
                    node [fontname="Helvetica", shape=box, style="rounded"]
                    edge [fontname="Helvetica", fontsize=10]
                    s1 [label="a"]
                    s2 [label="b"]
                    i0 [shape=point, width=0.12, style=filled]
                    i0 -> s1
                    s1 -> s2 [label="go"]
                }

                """)
    }

    @Test func severalTargetsAreSeveralArrows() throws {
        let machine = try machine(
            """
            id: m
            initial: {target: ["#x2", "#y2"], actions: [{log: "'begin'"}]}
            states:
              p:
                type: parallel
                states:
                  x: {initial: x1, states: {x1: {}, x2: {id: x2}}}
                  y: {initial: y1, states: {y1: {}, y2: {id: y2}}}
                on: {both: {target: ["#x2", "#y2"]}}
            """)
        let mermaid = MermaidDiagram.text(of: machine).split(separator: "\n")
        #expect(mermaid.contains("    [*] --> s1 : p.x.x2, p.y.y2 / log"))
        #expect(mermaid.suffix(2) == ["    s1 --> s4 : both", "    s1 --> s7 : both"])
        let graph = GraphvizDiagram.text(of: machine).split(separator: "\n")
        #expect(graph.contains(#"    i0 -> s1 [label="p.x.x2, p.y.y2 / log", lhead=cluster_s1]"#))
        #expect(graph.suffix(3).prefix(2) == [#"    s1 -> s4 [label="both"]"#, #"    s1 -> s7 [label="both"]"#])
    }

    @Test func transitionsBetweenTheSameStatesShareAnArrow() throws {
        let machine = try machine(
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on: {one: b, two: [{target: b, guard: context.n > 1}, {target: c}], three: b}
                always: {target: b, guard: context.n < 0}
              b:
                id: b
                initial: d
                on: {in: {actions: {log: "'in'"}}, again: {target: b, reenter: true}, down: .d}
                states: {d: {on: {up: '#b'}}}
              c: {always: [{target: a, guard: context.n == 7}, a]}
            """)
        let mermaid = MermaidDiagram.text(of: machine).split(separator: "\n").suffix(6)
        #expect(
            mermaid == [
                "    s1 --> s2 : one<br/>two [context.n #62; 1]<br/>three<br/>[context.n #60; 0]",
                "    s1 --> s4 : two",
                "    s2 --> s2 : in / log<br/>again", "    s2 --> s3 : down", "    s3 --> s2 : up",
                "    s4 --> s1 : [context.n == 7]<br/>always",
            ])
        let graph = GraphvizDiagram.text(of: machine).split(separator: "\n").dropLast().suffix(6)
        #expect(
            graph == [
                #"    s1 -> s2 [label="one\ltwo [context.n > 1]\lthree\l[context.n < 0]\l", lhead=cluster_s2]"#,
                #"    s1 -> s4 [label="two"]"#, #"    s2 -> s2 [label="in / log\lagain\l"]"#,
                #"    s2 -> s3 [label="down"]"#, #"    s3 -> s2 [label="up"]"#,
                #"    s4 -> s1 [label="[context.n == 7]\lalways\l"]"#,
            ])
    }

    /// Mermaid 11 draws no arrow to a box inside of a region (its issue 4052).
    @Test func arrowsInsideOfARegionEndAtLeaves() throws {
        let machine = try machine(
            """
            {id: m, initial: p, states: {q: {initial: r, states: {r: {}}}, p: {type: parallel, states: {y: {}, x: {
              initial: a, states: {a: {on: {go: b, out: '#m.q'}}, b: {initial: c, states: {
                c: {initial: d, states: {d: {}}}}}}}}}}}
            """)
        let name = { (path: String) in "s\(machine.state(named: path)?.rawValue ?? -1)" }
        let lines = MermaidDiagram.text(of: machine).split(separator: "\n")
        #expect(lines.contains("    \(name("p.x.a")) --> \(name("p.x.b.c.d")) : go"))
        #expect(lines.contains("    \(name("p.x.a")) --> \(name("q")) : out"))
    }

    @Test func manyLabelsOfOneArrowAreCounted() throws {
        let events = (1...40).map { "e\($0): b" }.joined(separator: ", ")
        let machine = try machine("{id: m, initial: a, states: {a: {on: {\(events)}}, b: {}}}")
        #expect(MermaidDiagram.text(of: machine).hasSuffix("<br/>e11<br/>e12<br/>and 28 more\n"))
    }

    @Test func historyStatesOfOneParentAreToldApart() throws {
        let machine = try machine(
            """
            id: m
            initial: p
            states:
              p: {initial: a, states: {a: {}, last: {type: history}, game: {type: history}, all: {type: history, history: deep}}}
              q: {initial: b, on: {e: '#h', f: p.last, g: p.game, k: p.all}, states: {b: {}, old: {id: h, type: history}}}
            """)
        let mermaid = MermaidDiagram.text(of: machine)
        let graph = GraphvizDiagram.text(of: machine)
        for name in ["H last", "H game", "H* all", "H"] {
            #expect(mermaid.contains("state \"\(name.replacing("*", with: "#42;"))\" as"))
            #expect(graph.contains("label=\"\(name)\""))
        }
    }

    @Test func longLabelsAreCut() throws {
        let condition = (0..<20).map { "context.n != \($0)" }.joined(separator: " && ")
        let machine = try machine(
            """
            {id: m, initial: a, context: {n: 1},
            states: {a: {on: {e: {guard: "\(condition)", actions: {assign: {n: 2}}}}}}}
            """
        )
        #expect(
            MermaidDiagram.text(of: machine).hasSuffix(
                "    s1 --> s1 : e [context.n != 0 #38;#38; context.n != 1 #38;#38; con…] / assign n\n"))
    }

    @Test(.timeLimit(.minutes(20))) func graphvizReadsEveryGraph() async throws {
        guard let dot = Self.program("dot") else {
            print("graphvizReadsEveryGraph: skipped, there is no 'dot' in the PATH")
            return
        }
        var texts = try DefinitionFolders.examples().map(\.text)
        // 'dot' 2.43 cannot lay out the last one without 'newrank'.
        texts += try ["order.yaml", "names.yaml", "pinball.yaml", "tangle.yaml"].map { try Documents.text($0) }
        texts += try (DefinitionFolders.vectors() ?? []).map(\.text).filter { !$0.contains("+") }.prefix(40)
        for text in texts {
            let machine = try machine(text)
            let graph = GraphvizDiagram.text(of: machine, active: Set(machine.states.map(\.index)))
            let errors = try await Self.errors(of: dot, reading: graph)
            #expect(errors == "", "\(machine.name)")
        }
    }

    /// Returns the URL of a program in the PATH.
    private static func program(_ name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Returns the text that a program writes about its input to standard error; the program must exit with 0.
    private static func errors(of program: URL, reading text: String) async throws -> String {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        // Graphviz looks closely only at a drawing that it lays out.
        let arguments = ["-Tsvg", "-o", "/dev/null", try folder.write(text, to: "diagram.dot")]
        let result = try await RunningProgram(program.path, arguments, environment: Programs.environment())
            .result()
        #expect(result.end == .exited(0))
        return result.errors
    }
}
