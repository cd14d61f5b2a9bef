import Statechart
import Testing

/// What the definition language has and this version does not: refused by name, beside all other mistakes.
struct DefinitionMissingPartsTests {
    @Test(arguments: [
        ("invoke: {id: x}", "3:1: error: 'invoke' needs effects, which this version does not have"),
        ("entry: {emit: {event: x}}", "3:9: error: 'emit' needs effects, which this version does not have"),
        (
            "entry: {send: {event: x, to: parent}}",
            "3:26: error: 'to' needs effects, which this version does not have"
        ),
    ])
    func partOfAStateIsRefused(keys: String, message: String) {
        #expect(diagnostics(of: oneState(keys)) == [message])
    }

    @Test func partOfTheRootIsRefused() {
        #expect(
            diagnostics(of: oneState("entry: []", root: "invoke: [],")) == [
                "1:21: error: 'invoke' needs effects, which this version does not have"
            ])
    }
}
