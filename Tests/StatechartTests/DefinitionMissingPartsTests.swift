import Statechart
import Testing

/// Tests the parts of the definition language that this version lacks: refused by name, together with all other
/// mistakes.
struct DefinitionMissingPartsTests {
    @Test(arguments: [
        ("invoke: {machine: x}", "3:10: error: 'machine' needs child machines, which this version does not have"),
        (
            "entry: {emit: {event: x}}",
            "3:9: error: 'emit' works only in a StateMachine of the Swift library, whose observers hear it: a history "
                + "cannot keep outputs yet; remove it, or request an effect with 'call'"
        ),
        (
            "entry: {send: {event: x, to: parent}}",
            "3:26: error: 'to' needs messages between instances, which this version does not have"
        ),
    ])
    func partOfAStateIsRefused(keys: String, message: String) {
        #expect(diagnostics(of: oneState(keys)) == [message])
    }
}
