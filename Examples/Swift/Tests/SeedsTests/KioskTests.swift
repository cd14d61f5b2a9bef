import StateMachines
import Testing

/// Tests that mistakes about the data of events are found before anything is sent.
struct KioskTests {
    @Test func mistakesInDataAreFound() {
        let error = #expect(throws: DefinitionMistakes.self) { try Kiosk.definition.check() }
        #expect(
            error?.mistakes.map { $0.drop { $0 != " " } }
                == [
                    " event 'pay' has no field 'ammount'; did you mean 'amount'?",
                    " the value does not fit: note is an int, not a string; write string(…)",
                    " no such overload: int * double; write double(event.data)",
                ])
    }
}

/// A machine with three mistakes.
private enum Kiosk: MachineDefinition {
    enum State: String, MachineState { case open }

    enum Event: EventValue, Codable {
        case pay(amount: Int), add(Int)

        enum Name: String, MachineEvent { case pay, add }
    }

    struct Context: Codable, Sendable { var note: String? }

    static let definition = Definition<Self>("kiosk", initial: .open, context: Context()) {
        In(.open) {
            On(.pay, if: "event.data.ammount > 0")
            On(.pay, .assign(["note": "event.data.amount"]))
            On(.add, if: "event.data * 2.0 > 3.0")
        }
    }
}
