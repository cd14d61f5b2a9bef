import Foundation
import StateMachines
import Synchronization
import Testing

/// Tests the types of event data and of contexts that a definition declares, found from the Swift types.
struct DataTypeTests {
    private func mistakes<M: MachineDefinition>(_ machine: M.Type) -> [String] {
        do throws(DefinitionMistakes) {
            try M.definition.check()
            return []
        } catch {
            return error.mistakes
        }
    }

    private func part<M: MachineDefinition>(_ key: String, of machine: M.Type) throws -> JSONValue? {
        try JSONDecoder().decode(JSONValue.self, from: Data(M.text.utf8)).object?[key]
    }

    @Test func mistakesInDataHaveTheirLineOfSwift() {
        let place = { (line: Int) in "StateMachinesTests/DataTypeTests.swift:\(Wrong.line + line)" }
        #expect(
            mistakes(Wrong.self)
                == [
                    "\(place(3)): event 'pay' has no field 'ammount'; did you mean 'amount'?",
                    "\(place(4)): the value does not fit: note is an int, not a string; write string(…)",
                    "\(place(8)): the data of 'add' does not fit: data is a string, not an int; write int(…)",
                    "\(place(5)): no such overload: int * double; write double(event.data)",
                    "\(place(6)): the value does not fit: items[] is an int, not a string; write string(…)",
                    "\(place(7)): no such field: 'street' in context.note, which is a string",
                ])
        #expect(mistakes(Right.self).isEmpty)
    }

    /// The text is what a host or `wfctl apply` gets.
    @Test func theTextRefusesTheSame() throws {
        #expect(Right.text.contains("event.data.amount > 0"))
        for (right, wrong, message) in [
            ("event.data.amount > 0", "event.data.ammount > 0", "did you mean 'amount'?"),
            (#""note": "string(event.data)""#, #""note": "event.data""#, "note is an int, not a string"),
            ("event.data * 2 ", "event.data * 2.0 ", "no such overload: int * double"),
        ] {
            #expect(Right.text.contains(right))
            let definition = Definition<Right>(text: Right.text.replacing(right, with: wrong))
            let told = #expect(throws: DefinitionMistakes.self) { try definition.check() }
            #expect(told?.description.contains(message) == true)
        }
        try Definition<Right>(text: Right.text).check()
    }

    @Test func aHostRefusesTheSame() async throws {
        let host = MemoryHost()
        let refused = await #expect(throws: HostError.self) { try await host.apply(Wrong.self) }
        #expect(refused?.message.contains("did you mean 'amount'?") == true)
        _ = try await host.apply(Right.self)
    }

    @Test func eachKindOfValueHasItsType() throws {
        let home: JSONValue = ["street": "string", "zip_code": "optional(string)"]
        let price: JSONValue = [
            "exponent": "int", "length": "uint", "isNegative": "bool", "isCompact": "bool", "mantissa": "list(dyn)",
        ]
        let expected: [Kinds.Event.Name: JSONValue] = [
            .numbers: [
                "a": "int", "b": "int", "c": "uint", "d": "uint", "e": "double", "f": "double", "g": "bool",
            ],
            .text: "string", .maybe: "optional(int)", .options: ["a": "optional(string)", "b": "optional(list(int))"],
            .lists: [
                "a": "list(list(optional(int)))", "b": "map(string, double)", "c": "list(string)",
                "d": "list(map(string, dyn))",
            ],
            .foundation: [
                "date": "double", "id": "string", "data": "list(dyn)", "price": price,
                "url": ["relative": "string", "base": "optional(dyn)"],
            ],
            .structure: home, .inner: ["home": home, "n": "int"],
            .names: ["side": "string", "level": "int", "id": "string"],
            .json: ["any": "dyn", "map": "map(string, dyn)", "n": "int"],
            .recursive: ["value": "int", "next": "optional(list(dyn))", "children": "list(dyn)"],
        ]
        let events = try part("events", of: Kinds.self)?.object
        for event in Kinds.Event.Name.allCases {
            #expect(events?[event.rawValue]?.object?["data"] == expected[event], "\(event)")
        }
        #expect(
            try part("types", of: Kinds.self)
                == [
                    "context": [
                        "size": "uint", "note": "optional(string)", "items": "list(string)", "home": home,
                        "last": "optional(map(string, dyn))", "prices": "map(string, double)",
                    ]
                ])
    }

    /// The declared types fit all that the program sends.
    @Test func everyValueIsTaken() throws {
        let machine = try StateMachine(Kinds.self)
        for event in Kinds.samples { #expect(throws: Never.self) { try machine.send(event) } }
    }

    /// A coding by hand may write several forms, and a name without a placeholder cannot be decoded.
    @Test func whatCannotBeFoundStaysOpen() throws {
        #expect(
            try part("events", of: Open.self)
                == ["pay": ["data": ["amount": "int", "card": "optional(dyn)", "by": "dyn", "size": "dyn"]]])
        #expect(try part("types", of: Open.self) == ["context": ["list": "list(string)"]])
        #expect(try part("events", of: Written.self) == nil)
        let machine = try StateMachine(Open.self)
        for event in Open.samples { try machine.send(event) }
        #expect(machine.value.seq == Int64(Open.samples.count) + 1)
    }

    /// The remedy is told where there is one.
    @Test func anEnumWithoutAPlaceholderIsTold() throws {
        let place = "StateMachinesTests/DataTypeTests.swift:\(Open.line + 1)"
        let reason = "Card has no placeholder; make it CaseIterable"
        #expect(
            try Open.definition.check()
                == ["swipe", "insert"].map { "\(place): the data of '\($0)' is not checked: \(reason)" })
    }

    @Test func thePlaceholderOfATypeIsDecodedOnce() throws {
        try Counting.definition.check()
        _ = try StateMachine(Counting.self)
        _ = Counting.text
        #expect(decodings.withLock { $0 } == 1)
        #expect(
            try part("events", of: Counting.self)
                == [
                    "one": ["data": ["value": "int"]],
                    "two": ["data": ["a": ["value": "int"], "b": "list(map(string, dyn))"]],
                ])
    }

    /// The types of the context decide nothing while they are those of its values.
    @Test func aMachineWithoutDataKeepsItsText() throws {
        #expect(try part("types", of: Plain.self) == nil)
        #expect(try part("events", of: Plain.self) == nil)
    }

    /// A value that was stored before types were declared has the same digest.
    @Test func aStoredMachineGoesOnWithTypes() throws {
        let machine = try StateMachine(Kept<Encodes>.self)
        try machine.send(Encodes.set(amount: 3))
        let stored = try JSONEncoder().encode(machine.value)
        #expect(Kept<Encodes>.text != Kept<Codes>.text)
        let value = try JSONDecoder().decode(MachineValue<Kept<Codes>>.self, from: stored)
        #expect(!value.hasChangedDefinition)
        #expect(try StateMachine(restoring: value).context.last == 3)
    }

    @Test func aGivenTextKeepsItsEvents() throws {
        #expect(Given.text == Given.given)
        #expect(mistakes(Given.self).isEmpty)
    }
}

private enum Wrong: MachineDefinition {
    enum State: String, MachineState { case open }
    typealias Event = Right.Event
    typealias Context = Right.Context

    static let line = #line
    static let definition = Definition<Self>("wrong", initial: .open, context: Context()) {
        In(.open) {
            On(.pay, if: "event.data.ammount > 0")
            On(.pay, .assign(["note": "event.data.amount"]))
            On(.add, .assign(["price": "event.data * 2.0"]))
            On(.add, .assign(["items": "[event.data]"]))
            On(.add, .assign(["note": "context.note.street"]))
            On(.pay, .raise(.add, data: "'x'"))
        }
    }
}

private enum Right: MachineDefinition {
    enum State: String, MachineState { case open }
    enum Event: EventValue, Codable {
        case pay(amount: Int), add(Int), close

        enum Name: String, MachineEvent, CodingKey { case pay, add, close }
        typealias CodingKeys = Name
    }
    struct Context: Codable, Sendable {
        var note: String?
        var price = 0.0
        var items: [String] = []
    }

    static let definition = Definition<Self>("wrong", initial: .open, context: Context()) {
        In(.open) {
            On(.pay, if: "event.data.amount > 0")
            On(.add, .assign(["note": "string(event.data)", "price": "event.data * 2 + 1"]))
            On(.close)
        }
    }
}

private enum Kinds: MachineDefinition {
    struct Home: Codable, Hashable {
        var street = "Main Street"
        var zip: String?

        enum CodingKeys: String, CodingKey { case street, zip = "zip_code" }
    }
    struct Node: Codable {
        var value: Int
        var next: [Node]?
        var children: [Node]

        enum CodingKeys: String, CodingKey { case value, next, children }
    }
    enum Side: String, Codable, CaseIterable { case left, right }
    enum Level: Int, Codable, CaseIterable { case low = 7, high }
    struct ID: RawRepresentable, Codable { let rawValue: String }

    enum State: String, MachineState { case open }
    enum Event: EventValue, Codable {
        case numbers(a: Int, b: Int8, c: UInt, d: UInt64, e: Double, f: Float, g: Bool)
        case text(String), maybe(Int?), options(a: String?, b: [Int]?)
        case lists(a: [[Int?]], b: [String: Double], c: Set<String>, d: [Home])
        case foundation(date: Date, id: UUID, data: Data, url: URL, price: Decimal)
        case structure(Home), inner(home: Home, n: Int), names(side: Side, level: Level, id: ID)
        case json(any: JSONValue, map: JSONObject, n: Int)
        case recursive(Node), empty

        enum Name: String, MachineEvent {
            case numbers, text, maybe, options, lists, foundation, structure, inner, names, json, recursive, empty
        }
    }
    struct Context: Codable, Sendable {
        var n = 0
        var size: UInt = 0
        var note: String?
        var items: [String] = []
        var home = Home()
        var last: Home?
        var prices: [String: Double] = [:]
    }

    static let samples: [Event] = [
        .numbers(a: -1, b: -2, c: 3, d: 4, e: 5, f: 6.5, g: false), .text(""), .maybe(nil), .maybe(1),
        .options(a: nil, b: nil), .options(a: "a", b: []), .options(a: nil, b: [1]),
        .lists(a: [[1, nil], []], b: [:], c: [], d: []), .lists(a: [], b: ["a": 1], c: ["x"], d: [Home()]),
        .foundation(
            date: Date(timeIntervalSince1970: 1.5), id: UUID(), data: Data([1, 2]), url: .temporaryDirectory,
            price: -12.5),
        .structure(Home()), .structure(Home(zip: "1")), .inner(home: Home(), n: 1),
        .names(side: .right, level: .high, id: ID(rawValue: "x")), .json(any: 1.5, map: JSONObject(), n: 1),
        .recursive(Node(value: 1, next: [], children: [Node(value: 2, children: [])])), .empty,
    ]

    static let definition = Definition<Self>("kinds", initial: .open, context: Context()) {
        In(.open) { for event in Event.Name.allCases { On(event) } }
    }
}

/// Types whose codings do not tell what they write.
private enum Open: MachineDefinition {
    enum Card: String, Codable { case visa }
    /// Writes a number or a text.
    enum By: Codable {
        case number(Int), text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }
    /// Reads one of two forms of a key.
    struct Size: Codable {
        var number: Int?
        var text: String?

        enum CodingKeys: CodingKey { case value }

        init(number: Int? = nil, text: String? = nil) {
            self.number = number
            self.text = text
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            number = try? container.decode(Int.self, forKey: .value)
            text = try? container.decode(String.self, forKey: .value)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(number, forKey: .value)
            if let text { try container.encode(text, forKey: .value) }
        }
    }
    enum Way: Codable { case left(Int), right(Int) }
    struct Held: Codable { var card: Card }

    enum State: String, MachineState { case open }
    enum Event: EventValue, Codable {
        case pay(amount: Int, card: Card?, by: By, size: Size)
        /// No other value than a case is a placeholder.
        case swipe(amount: Int, card: Card), insert(Held)
        case turn(Way)
        case move(Int, Int)

        enum Name: String, MachineEvent { case pay, swipe, insert, turn, move }
    }
    struct Context: Codable, Sendable {
        var way = Way.left(1)
        var card: Card?
        var list = ["a"]
        var by = By.number(1)
    }

    static let samples: [Event] = [
        .pay(amount: 1, card: .visa, by: .text("x"), size: Size(text: "x")),
        .pay(amount: 1, card: nil, by: .number(1), size: Size(number: 1)), .swipe(amount: 1, card: .visa),
        .insert(Held(card: .visa)), .turn(.right(1)),
    ]

    static let line = #line
    static let definition = Definition<Self>("open", initial: .open, context: Context()) {
        In(.open) {
            On(.pay)
            On(.swipe, .assign(["card": "event.data.card"]))
            On(.insert)
            On(.turn, .assign(["way": "event.data"]))
            On(.move)
        }
    }
}

/// An event that is written in another form than the compiler's.
private enum Written: MachineDefinition {
    enum State: String, MachineState { case open }
    enum Event: EventValue, Codable {
        case pay(amount: Int)

        enum Name: String, MachineEvent { case pay }

        func encoded() throws(MachineMismatch) -> EncodedEvent<Name> { EncodedEvent(name: .pay, data: "much") }
    }

    static let definition = Definition<Self>("written", initial: .open) { In(.open) { On(.pay) } }
}

private let decodings = Mutex(0)

private enum Counting: MachineDefinition {
    struct Counted: Codable {
        var value: Int

        enum CodingKeys: CodingKey { case value }

        init(from decoder: any Decoder) throws {
            decodings.withLock { $0 += 1 }
            value = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .value)
        }
    }
    enum State: String, MachineState { case open }
    enum Event: EventValue, Codable {
        case one(Counted), two(a: Counted, b: [Counted])

        enum Name: String, MachineEvent { case one, two }
    }

    static let definition = Definition<Self>("counting", initial: .open) {
        In(.open) {
            On(.one)
            On(.two)
        }
    }
}

private enum Plain: MachineDefinition {
    enum State: String, MachineState { case open }
    enum Event: EventValue, Codable {
        case go, stay

        enum Name: String, MachineEvent { case go, stay }
    }
    struct Context: Codable, Sendable {
        var n = 0
        var price = 1.5
        var text = "a"
        var flag = true
    }

    static let definition = Definition<Self>("plain", initial: .open, context: Context()) { In(.open) { On(.go) } }
}

private enum SetName: String, MachineEvent { case set }
private enum Encodes: EventValue, Encodable {
    case set(amount: Int)
    typealias Name = SetName
}
private enum Codes: EventValue, Codable {
    case set(amount: Int)
    typealias Name = SetName
}

private enum Kept<Event: EventValue>: MachineDefinition where Event.Name == SetName {
    enum State: String, MachineState { case open }
    struct Context: Codable, Sendable { var last: Int? }

    static var definition: Definition<Self> {
        Definition("kept", initial: .open, context: Context()) {
            In(.open) { On(.set, .assign(["last": "event.data.amount"])) }
        }
    }
}

private enum Given: MachineDefinition {
    enum State: String, MachineState { case open }
    typealias Event = Right.Event
    static let given = """
        {"id": "given", "initial": "open", "events": {"pay": {"data": {"sum": "double"}}},
        "states": {"open": {"on": {"pay": {"guard": "event.data.sum > 1.0"}, "add": {"guard": "event.data.x"}}}}}
        """
    static let definition = Definition<Self>(text: given)
}
