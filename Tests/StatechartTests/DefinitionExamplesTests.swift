import Foundation
import Statechart
import Testing

struct DefinitionExamplesTests {
    @Test(arguments: ["screens", "request", "rocket", "editor", "profile", "order"])
    func exampleIsReadWithoutAWord(name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "Examples/\(name).yaml"), encoding: .utf8)
        #expect(diagnostics(of: text).isEmpty)
        #expect(try DefinitionReader.read(text).machine.name == name)
    }
}
