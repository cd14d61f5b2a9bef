import DaemonTesting
import Drawing
import Foundation
import Statechart
import Testing
import WorkflowInterchange

/// Compares the number of crossing lines with drawings of Graphviz.
@Suite struct CrossingTests {
    private static let seed: UInt64 = 36

    @Test(.timeLimit(.minutes(10))) func linesCrossNoMoreOftenThanThoseOfGraphviz() async throws {
        guard let dot = Self.program("dot") else {
            print("linesCrossNoMoreOftenThanThoseOfGraphviz: skipped, there is no 'dot' in the PATH")
            return
        }
        var machines = try DrawnMachines.examples().map(\.machine)
        for number in machines.count..<40 {
            machines.append(DrawnMachines.random(seed: Self.seed, number, most: 25, isCalm: true))
        }
        var sums = (ours: 0, theirs: 0)
        for machine in machines {
            let ours = Crossings.count(in: try Scene(of: machine))
            let theirs = try await Self.crossings(of: machine, drawnBy: dot)
            print("crossings: \(machine.name) of \(machine.states.count - 1) states: \(ours), dot \(theirs)")
            sums = (sums.ours + ours, sums.theirs + theirs)
        }
        print("crossings of \(machines.count) machines: \(sums.ours), dot \(sums.theirs)")
        #expect(machines.count == 40)
        #expect(sums.ours <= sums.theirs)
    }

    @Test func crossingsAreCounted() {
        #expect(Crossings.count([[(0, 0), (4, 4)], [(0, 4), (4, 0)], [(9, 0), (9, 4)], [(4, 4), (8, 4)]]) == 1)
    }

    /// Returns the crossings in the drawing of `dot`; its curves become chains of short lines.
    private static func crossings(of machine: Machine, drawnBy dot: URL) async throws -> Int {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = try folder.write(GraphvizDiagram.text(of: machine), to: "diagram.dot")
        let result = try await RunningProgram(dot.path, ["-Tplain", file], environment: Programs.environment()).result()
        #expect(result.end == .exited(0))
        let lines = result.output.replacing("\\\n", with: "").split(separator: "\n").filter { $0.hasPrefix("edge ") }
        return Crossings.count(lines.map(curve))
    }

    /// Reads `edge tail head n x1 y1 … xn yn …`: cubic curves one after another (graphviz.org, "Plain output").
    private static func curve(_ line: Substring) -> [Crossings.Point] {
        let words = line.split(separator: " ")
        let count = Int(words[3]) ?? 0
        let numbers = words.dropFirst(4).prefix(2 * count).compactMap { Double($0) }
        let points = (0..<numbers.count / 2).map { (x: numbers[2 * $0], y: numbers[2 * $0 + 1]) }
        var corners = points.prefix(1).map { $0 }
        for start in stride(from: 0, to: points.count - 3, by: 3) {
            for step in 1...8 { corners.append(bezier(Array(points[start...start + 3]), Double(step) / 8)) }
        }
        return corners
    }

    private static func bezier(_ points: [Crossings.Point], _ time: Double) -> Crossings.Point {
        var points = points
        while points.count > 1 {
            points = zip(points, points.dropFirst()).map {
                ($0.x + ($1.x - $0.x) * time, $0.y + ($1.y - $0.y) * time)
            }
        }
        return points[0]
    }

    private static func program(_ name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
