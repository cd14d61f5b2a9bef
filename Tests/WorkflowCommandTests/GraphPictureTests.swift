import Testing
import WorkflowClientTesting

/// Tests pictures of `wfctl graph --as svg`.
struct GraphPictureTests {
    private static let large =
        "{id: large, initial: s0, states: {"
        + (0...1_000).map { "s\($0): {}" }.joined(separator: ", ") + "}}"
    private let harness = CommandHarness(files: ["order.yaml": Sample.definition, "large.yaml": large])

    @Test func fileBecomesAPicture() async {
        let outcome = await harness.run("graph", "order.yaml", "--as", "svg")
        #expect(outcome.exit == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
        #expect(outcome.output.hasSuffix("</svg>\n"))
    }

    @Test func tooLargeMachineIsRefusedWithAWayOut() async {
        let outcome = await harness.run("graph", "large.yaml", "--as", "svg")
        #expect(outcome.exit == 65)
        let reason = "it has 1001 states, and a drawing has at most 1000; use '--as dot'"
        #expect(outcome.errors.hasSuffix("\nerror: Cannot draw 'large': \(reason)\n"))
    }

    @Test func unknownStateToUnfoldIsNamed() async {
        let outcome = await harness.run("graph", "order.yaml", "--as", "svg", "--unfold", "nowhere")
        #expect(outcome.exit == 65)
        #expect(outcome.errors == "error: Cannot unfold 'nowhere': machine 'order' has no such state\n")
    }
}
