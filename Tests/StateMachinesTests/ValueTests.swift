import Foundation
import StateMachines
import Testing

/// Tests the library's own coders.
struct ValueTests {
    /// The test sends an event with every kind of value, and reads the values back from the context.
    @Test func valuesComeBackAsTheyWere() throws {
        let machine = try StateMachine(Box.self)
        try machine.send(.put(Box.full))
        #expect(machine.context.content == Box.full)
        #expect(machine.state == .holding(Box.Holding(content: Box.full)))
        // The same states, other data.
        try machine.send(.put(Box.Content()))
        #expect(machine.context.content == Box.Content())
        #expect(machine.state == .holding(Box.Holding(content: Box.Content())))
    }

    @Test func nilIsNullAndOneIsNotOnePointNought() throws {
        let machine = try StateMachine(Box.self)
        try machine.send(.put(Box.Content()))
        let stored = try JSONDecoder().decode(Stored.self, from: try JSONEncoder().encode(machine.value)).context
        for member in [#""text":null"#, #""flag":null"#, #""small":null"#, #""number":1.0"#, #""count":1,"#] {
            #expect(stored.contains(member))
        }
        let restored = try JSONDecoder().decode(MachineValue<Box>.self, from: try JSONEncoder().encode(machine.value))
        #expect(restored.context.content == Box.Content())
    }

    @Test func whatJSONCannotSayIsRefused() throws {
        let machine = try StateMachine(Box.self)
        var content = Box.Content()
        content.number = .nan
        let nan = #expect(throws: Refusal<Box>.self) { try machine.send(.put(content)) }
        #expect(nan?.reason == .invalidData)
        content = Box.Content()
        content.large = .max
        #expect(throws: Refusal<Box>.self) { try machine.send(.put(content)) }
        #expect(machine.value.seq == 1)
    }

    @Test func eventsWithoutNamesAndLabelsAreRefused() throws {
        let machine = try StateMachine(Box.self)
        let refund = #expect(throws: Refusal<Box>.self) { try machine.send(.refund(1)) }
        #expect(refund?.description == "Event.refund has no name in Event.Name")
        let move = #expect(throws: Refusal<Box>.self) { try machine.send(.move(1, 2)) }
        #expect(move?.description == "Event.move has several values: give each a label")
    }

    /// The compiler allows names that lack a case, even if they are the keys that it writes.
    @Test(arguments: [(Till.Event.refund(amount: 1), "refund"), (.give("back"), "give"), (.close, "close")])
    func aCaseWithoutAKeyIsRefused(event: Till.Event, name: String) throws {
        let machine = try StateMachine(Till.self)
        let refusal = #expect(throws: Refusal<Till>.self) { try machine.send(event) }
        #expect(refusal?.reason == .invalidData)
        #expect(refusal?.description == "Event.\(name) has no name in Event.Name")
        try machine.send(.pay(amount: 1))
    }

    @Test func aMoveThatDoesNotFitIsUndone() throws {
        let machine = try StateMachine(Box.self)
        let refusal = #expect(throws: Refusal<Box>.self) { try machine.send(.spoil) }
        #expect(refusal?.reason == .invalidData)
        #expect(refusal?.description.contains("'spoil' was undone: ") == true)
        #expect(refusal?.description.contains("'content'") == true)
        #expect(machine.value.seq == 1)
    }

    @Test func regionsAndChildrenAreValues() throws {
        let machine = try StateMachine(Review.self)
        #expect(machine.state == .review(legal: .pending, finance: .pending(.none)))
        try machine.send(.ask)
        #expect(machine.state == .review(legal: .pending, finance: .pending(.some)))
        try machine.send(.ok)
        #expect(machine.state == .done(by: "Ada"))
    }

    @Test func aParallelRootIsAStruct() throws {
        let machine = try StateMachine(Keyboard.self)
        #expect(machine.state == Keyboard.State(caps: .off, num: .on))
        try machine.send(.caps)
        #expect(machine.state == Keyboard.State(caps: .on, num: .on))
    }
}

private struct Stored: Decodable { let context: String }

private enum Box: MachineDefinition {
    struct Content: Codable, Hashable, Sendable {
        enum Kind: String, Codable { case a, b }
        enum Choice: Codable, Hashable { case none, one(Int), two(left: String, right: [Int]) }
        var text: String?
        var flag: Bool?
        var small: UInt8?
        var number = 1.0
        var count = 1
        var large: UInt64?
        var kind = Kind.a
        var choice = Choice.none
        var list: [[Int?]] = []
        var map: [String: Double] = [:]
        var json = JSONValue.null
        var date: Date?
    }
    struct Holding: Decodable, Hashable { let content: Content }
    enum State: StateValue, Decodable, Hashable {
        case empty, holding(Holding)
        enum Name: String, MachineState, CodingKey { case empty, holding }
        typealias CodingKeys = Name
    }
    enum Event: EventValue, Encodable {
        case put(Content), refund(Int), move(Int, Int), spoil
        enum Name: String, MachineEvent { case put, move, spoil }
    }
    struct Context: Codable, Sendable { var content: Content? }

    static let full = Content(
        text: "é \"\u{1F600}\"", flag: true, small: 255, number: 2, count: .min, large: 7, kind: .b,
        choice: .two(left: "l", right: [1, 2]), list: [[1, nil], []], map: ["a": 1, "b": 2.5],
        json: ["a": [1, 1.0, .null, "x"]], date: Date(timeIntervalSinceReferenceDate: 1.5))

    static let definition = Definition<Self>("box", initial: .empty, context: Context()) {
        In(.empty) {
            On(.put, to: .holding, .assign(["content": "event.data"]))
            On(.spoil, .assign(["content": "5"]))
            On(.move)
        }
        In(.holding) { On(.put, .assign(["content": "event.data"])) }
    }
}

enum Till: MachineDefinition {
    enum State: String, MachineState { case open }
    enum Event: EventValue, Encodable {
        case pay(amount: Int), refund(amount: Int), give(String), close

        enum Name: String, MachineEvent, CodingKey { case pay }
        typealias CodingKeys = Name
    }

    static let definition = Definition<Self>("till", initial: .open) { In(.open) { On(.pay) } }
}

private enum Review: MachineDefinition {
    enum State: StateValue, Decodable, Hashable {
        case review(legal: Legal, finance: Finance), done(by: String)
        // Three kinds of parts: by their raw values, by themselves, and with a child of their own.
        enum Legal: String, Decodable { case pending, ok }
        enum Finance: Decodable, Hashable { case pending(Pending), ok }
        enum Pending: String, Decodable { case none, some }
        enum CodingKeys: CodingKey { case review, done }
        enum Name: String, MachineState {
            case review, legal = "review.legal", legalPending = "review.legal.pending", legalOK = "review.legal.ok"
            case finance = "review.finance", financePending = "review.finance.pending"
            case none = "review.finance.pending.none", some = "review.finance.pending.some"
            case financeOK = "review.finance.ok", done
        }
    }
    enum Event: String, MachineEvent { case ask, ok }
    // Keys that have the names of states do not stand in their way.
    struct Context: Codable, Sendable {
        var by = "Ada"
        var ok = 1
        var pending = 2
    }

    static let definition = Definition<Self>("review", initial: .review, context: Context()) {
        In(.review, .parallel) { On(.ok, to: .done) }
        In(.legal, initial: .legalPending)
        In(.legalPending) { On(.ok, to: .legalOK, if: "false") }
        In(.finance, initial: .financePending)
        In(.financePending, initial: .none)
        In(.none) { On(.ask, to: .some) }
        In(.some) { On(.ask, to: .financeOK) }
    }
}

private enum Keyboard: MachineDefinition {
    struct State: StateValue, Decodable, Hashable {
        enum Key: String, Decodable { case off, on }
        let caps: Key
        let num: Key
        enum Name: String, MachineState {
            case caps, capsOff = "caps.off", capsOn = "caps.on", num, numOff = "num.off", numOn = "num.on"
        }
    }
    enum Event: String, MachineEvent { case caps, num }

    static let definition = Definition<Self>(parallel: "keyboard") {
        In(.caps, initial: .capsOff)
        In(.capsOff) { On(.caps, to: .capsOn) }
        In(.capsOn) { On(.caps, to: .capsOff) }
        In(.num, initial: .numOn)
        In(.numOff) { On(.num, to: .numOn) }
        In(.numOn) { On(.num, to: .numOff) }
    }
}
