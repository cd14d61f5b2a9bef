import Statechart
import Testing

/// What the definition language has and this version does not: refused by name, beside all other mistakes.
struct DefinitionMissingPartsTests {
    @Test(arguments: [
        ("invoke: {http: {}}", "3:10: error: 'http' needs effects over HTTP, which this version does not have"),
        ("invoke: {exec: x}", "3:10: error: 'exec' needs effects that run programs, which this version does not have"),
        ("entry: {call: {}}", "3:9: error: 'call' needs calls, which this version does not have"),
        (
            "entry: {emit: {event: x}}",
            "3:9: error: 'emit' needs messages between instances, which this version does not have"
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
