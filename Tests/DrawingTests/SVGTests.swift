import Drawing
import Foundation
import FoundationXML
import Statechart
import Testing

/// Tests what a page finds in a picture, and that no text of a definition becomes markup.
@Suite struct SVGTests {
    /// Collects the elements of a picture.
    private final class Elements: NSObject, XMLParserDelegate {
        var found: [(name: String, attributes: [String: String])] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            found.append((name, attributes))
        }
    }

    private func elements(of picture: String) throws -> [(name: String, attributes: [String: String])] {
        let elements = Elements()
        let parser = XMLParser(data: Data(picture.utf8))
        parser.delegate = elements
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        return elements.found
    }

    @Test func statesAndTransitionsAreFound() throws {
        let machine = try DrawnMachines.machine(at: "Examples/order.yaml")
        let pending = try #require(machine.state(atPath: "review.legal.pending"))
        let elements = try elements(of: try Scene(of: machine).svg(active: [pending]))
        let states = elements.filter { $0.attributes["data-state"] != nil }
        #expect(states.map { $0.attributes["data-state"] } == machine.states.map(\.path))
        #expect(states.allSatisfy { $0.attributes["tabindex"] == "0" && $0.attributes["role"] == "img" })
        let active = states.filter { $0.attributes["class"]?.split(separator: " ").contains("active") == true }
        #expect(active.map { $0.attributes["aria-label"] } == ["state review.legal.pending"])
        let numbers = elements.flatMap { $0.attributes["data-transitions"]?.split(separator: " ") ?? [] }
        #expect(numbers.compactMap { Int32($0) }.sorted() == machine.transitions.map(\.index.rawValue))
        let taken = try #require(machine.transitions.first { $0.descriptor == "legal.ok" })
        let arrow = try #require(elements.first { $0.attributes["data-transitions"] == "\(taken.index.rawValue)" })
        #expect(arrow.attributes["data-source"] == "review.legal.pending")
        #expect(arrow.attributes["data-target"] == "review.legal.ok")
        #expect(arrow.attributes["data-lines"] == "\(taken.line)")
    }

    @Test func takenTransitionsAreLit() throws {
        let machine = try DrawnMachines.machine(at: "Examples/order.yaml")
        let taken = try #require(machine.transitions.first { $0.descriptor == "legal.ok" })
        let elements = try elements(of: try Scene(of: machine).svg(taken: [taken.index]))
        let lit = elements.filter { isLit($0.attributes) }
        #expect(lit.map { $0.attributes["data-transitions"] } == ["\(taken.index.rawValue)"])
        #expect(lit.first?.attributes["class"] == "transition taken")
    }

    @Test func takenTransitionsWithoutArrowsAreLit() throws {
        let targets = (0..<400).map { "s\($0): {on: {next: s\(($0 + 1) % 400), fail: broken}}" }
        let text = "{id: many, initial: s0, states: {\(targets.joined(separator: ", ")), broken: {}}}"
        let machine = try DefinitionReader.read(text).machine
        let fails = try #require(machine.transitions.first { $0.descriptor == "fail" })
        let scene = try Scene(of: machine, .init(unfolded: Set(machine.states.map(\.path))))
        let lit = try elements(of: scene.svg(taken: [fails.index])).filter { isLit($0.attributes) }
        #expect(lit.map(\.name) == ["text"])
        #expect(lit.first?.attributes["class"] == "detail taken")
        #expect(lit.first?.attributes["data-transitions"] == "\(fails.index.rawValue)")
    }

    @Test func takenTransitionsInAFoldedStateAreLit() throws {
        let machine = try DrawnMachines.machine(at: "Tests/Pictures/folded.yaml")
        let scene = try Scene(of: machine)
        let folded = try #require(scene.boxes.first { $0.kind == .folded && !$0.hiddenTransitions.isEmpty })
        let taken = folded.hiddenTransitions[0]
        #expect(machine[folded.state].isProperAncestor(of: machine[taken].source))
        let lit = try elements(of: scene.svg(taken: [taken])).filter { isLit($0.attributes) }
        #expect(lit.map(\.name) == ["text"], "the line with the number of states")
        // A page finds each transition somewhere in the drawing.
        let numbers = try elements(of: scene.svg()).flatMap {
            $0.attributes["data-transitions"]?.split(separator: " ") ?? []
        }
        #expect(Set(numbers.compactMap { Int32($0) }) == Set(machine.transitions.map(\.index.rawValue)))
    }

    private func isLit(_ attributes: [String: String]) -> Bool {
        attributes["class"]?.split(separator: " ").contains("taken") == true
    }

    @Test func noTextBecomesMarkup() throws {
        let picture = try Scene(of: try DrawnMachines.machine(at: "Tests/Pictures/hostile.yaml")).svg()
        let names = Set(try elements(of: picture).map(\.name))
        #expect(names == ["svg", "title", "desc", "style", "rect", "g", "path", "circle", "text"])
        #expect(picture.contains("\\u{202e}"))
        #expect(!picture.contains("<script"))
        let unsafe = picture.unicodeScalars.filter { scalar in
            scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
        }
        #expect(Array(unsafe) == [])
    }

    @Test func pictureForAPageHasNoStyle() throws {
        let scene = try Scene(of: try DrawnMachines.machine(at: "Examples/order.yaml"))
        #expect(scene.svg().contains("<style>"))
        #expect(scene.svg().contains("prefers-color-scheme:dark"))
        let picture = scene.svg(style: .none)
        #expect(!picture.contains("style"))
        #expect(!picture.contains("paper"))
    }

    @Test func notesAndFoldedStatesAreLinks() throws {
        let machine = try DrawnMachines.machine(at: "Tests/Pictures/folded.yaml")
        let scene = try Scene(of: machine, .init(hasNotes: true))
        let oven = try #require(machine.state(atPath: "plant.oven"))
        let text = "<b>" + String(repeating: "9", count: 40)
        let note = SceneNote(text: text, title: "12 \"instances\"", address: "/x?a=1&b=\"", isBad: true)
        let picture = scene.svg(notes: [oven: note], opening: { "/open?path=\($0.path)&x" }, style: .none)
        let links = try elements(of: picture).filter { $0.name == "a" }
        let folded = scene.boxes.filter { $0.kind == .folded }
        #expect(!folded.isEmpty && links.count == folded.count + 1)
        let badge = try #require(links.first { $0.attributes["class"] == "badge grave" })
        #expect(badge.attributes["href"] == "/x?a=1&b=\"")
        #expect(links.contains { $0.attributes["href"] == "/open?path=plant.oven&x" })
        #expect(picture.contains("<title>plant.oven: 12 &quot;instances&quot;</title>"))
        #expect(picture.contains(">&lt;b&gt;99"), "a note is cut to its room")
        #expect(!picture.contains("<b>") && !picture.contains("99999999"))
        #expect(try elements(of: scene.svg(style: .none)).allSatisfy { $0.name != "a" })
    }

    @Test func numbersStandAtArrows() throws {
        let machine = try DefinitionReader.read(
            "{id: m, initial: a, states: {a: {on: {go: b, stay: a}}, b: {always: a}}}"
        ).machine
        let scene = try Scene(of: machine, .init(hasCounts: true))
        func count(_ transitions: [TransitionIndex]) -> SceneCount {
            let sum = transitions.reduce(0) { $0 + $1.rawValue }
            return SceneCount(text: "\(sum)<\(String(repeating: "9", count: 40))", title: "taken \(sum)\" times")
        }
        let picture = scene.svg(counting: count, style: .none)
        let numbers = picture.matches(of: /class="count" text-anchor="middle">([^<]*)<\/text>/).map { String($0.1) }
        #expect(numbers.sorted() == ["0&lt;999", "1&lt;999", "2&lt;999"], "a number is cut to its room")
        // An arrow without a name has a number too; the whole is in the title.
        #expect(picture.contains("<title>always, line 1&#10;taken 2&quot; times</title>"))
        #expect(!scene.svg(style: .none).contains("count"))
        #expect(!(try Scene(of: machine).svg(counting: count, style: .none).contains("count")))
    }

    @Test func outlineHasEveryState() throws {
        let machine = try DrawnMachines.machine(at: "Examples/order.yaml")
        var open = [StateOutline(of: machine)]
        var paths: [String] = []
        while let next = open.popLast() {
            paths.append(next.path)
            open += next.children.reversed()
        }
        #expect(paths == machine.states.map(\.path))
    }
}
