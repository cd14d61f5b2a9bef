import StateMachines
import Testing

/// Tests the messages about missing traits. This package has none.
struct TraitsTests {
    @Test func yamlNeedsItsTrait() {
        let mistakes = #expect(throws: DefinitionMistakes.self) { try StateMachine(Order.self) }
        #expect(mistakes?.mistakes.count == 1)
        #expect(
            mistakes?.mistakes.first?.hasSuffix(" of the text: 'order' is YAML: add the trait YAML") == true,
            "\(mistakes?.description ?? "none")")
    }

    @Test func matchesNeedsItsTrait() {
        let mistakes = #expect(throws: DefinitionMistakes.self) { try StateMachine(Letter.self) }
        #expect(mistakes?.mistakes.count == 1)
        #expect(
            mistakes?.mistakes.first?.hasSuffix("'matches' needs the trait RE2") == true,
            "\(mistakes?.description ?? "none")")
    }
}

private enum Order: MachineDefinition {
    enum State: String, MachineState { case draft }
    typealias Event = NoEvent

    static let definition = Definition<Self>(text: "id: order\ninitial: draft\nstates: {draft: {}}\n")
}

private enum Letter: MachineDefinition {
    enum State: String, MachineState { case open, sent }
    enum Event: String, MachineEvent { case send }

    struct Context: Codable, Sendable { var code = "" }

    static let definition = Definition<Self>("letter", initial: .open, context: Context()) {
        Path(from: .open, to: .sent, by: .send, if: "context.code.matches('[0-9]{5}')")
    }
}
