import Seeds
import StateMachines
import Testing

/// Tests questions to a machine, which change nothing.
struct AskingTests {
    @Test func anEventIsTakenOrRefusedOrDependsOnItsData() throws {
        let machine = try StateMachine(Desk.self)
        #expect(machine.canSend(.pay) && machine.canSend(.bill) && !machine.canSend(.open))
        #expect(machine.acceptance(of: .bill) == .taken)
        #expect(machine.acceptance(of: .pay) == .dependsOnData)
        #expect(machine.acceptance(of: .open) == .refused)
        #expect(machine.value.seq == 1)
    }

    /// The states that GameplayKit's `canEnterState` answers for.
    @Test func aStateCanBeReachedByOneEvent() throws {
        let machine = try StateMachine(Desk.self)
        #expect(Desk.State.Name.allCases.filter(machine.canReach) == [.paid, .drawer, .drawerOpen])
        try machine.send(.bill)
        #expect(Desk.State.Name.allCases.filter(machine.canReach) == [.open])
        #expect(machine.value.seq == 2)
    }

    /// A guard on the context chooses the way, and an unguarded transition without a target leads nowhere.
    @Test func guardsOfTheContextCount() throws {
        let machine = try StateMachine(Gate.self)
        #expect(!machine.canReach(.open) && machine.canReach(.closed) && !machine.canReach(.new))
        machine.attempt(.count)
        #expect(machine.canReach(.open) && !machine.canReach(.closed))
    }

    /// The types of the data do not stand in the way of the question.
    @Test func guardsOfTheContextCountForEventsWithData() throws {
        let machine = try StateMachine(Turnstile.self)
        #expect(machine.canReach(.closed) && !machine.canReach(.open) && !machine.canReach(.new))
        machine.attempt(.count(by: 1))
        #expect(machine.canReach(.open) && !machine.canReach(.closed))
    }

    @Test func eachStateOfAListHasTheRoute() throws {
        for event in [Many.Event.a, .b] {
            let machine = try StateMachine(Many.self)
            #expect(machine.attempt(event) && machine.attempt(.home))
            #expect(machine.state == .home)
        }
    }

    /// A name that is also a coding key prints like one that is not.
    @Test func namesPrintAsThemselves() throws {
        #expect("\(Desk.State.Name.drawerOpen) \(Desk.Event.Name.bill)" == "drawer.open bill")
        #expect("\([Desk.Event.Name.bill]) \([Request.State.Name.ready])" == "[bill] [ready]")
        #expect("\(Request.State.Name.success) \(Rocket.State.tick)" == "success countdown.tick")
    }

    /// `slip` is a history state: a name without a case. The compiler writes the keys of the cases.
    @Test func aHistoryStateIsNoCase() throws {
        let machine = try StateMachine(Desk.self)
        try machine.send(.bill)
        #expect(machine.state == .drawer(.open))
    }
}

private enum Desk: MachineDefinition {
    enum State: StateValue, Decodable, Hashable {
        case open, paid, drawer(Drawer)

        enum Drawer: String, Decodable { case open }
        enum Name: String, MachineState { case open, paid, slip, drawer, drawerOpen = "drawer.open" }
    }
    enum Event: EventValue, Codable {
        case pay(amount: Int), bill, open

        enum Name: String, MachineEvent, CodingKey { case pay, bill, open }
        typealias CodingKeys = Name
    }

    static let definition = Definition<Self>("desk", initial: .open) {
        Path(from: .open, to: .paid, by: .pay, if: "event.data.amount > 0")
        Path(from: .open, to: .drawer, by: .bill)
        In(.drawer, initial: .drawerOpen) { On(.open, to: .open) }
        In(.slip, .history, initial: .paid)
    }
}

private enum Gate: MachineDefinition {
    enum State: String, MachineState { case new, open, closed }
    enum Event: String, MachineEvent { case go, count }

    struct Context: Codable, Sendable { var count = 0 }

    static let definition = Definition<Self>("gate", initial: .new, context: Context()) {
        In(.new) {
            On(.go, to: .open, if: "context.count > 0")
            On(.go, to: .closed)
            On(.count, .assign(["count": "context.count + 1"]))
        }
    }
}

private enum Turnstile: MachineDefinition {
    enum State: String, MachineState { case new, open, closed }
    enum Event: EventValue, Codable {
        case go(fast: Bool), count(by: Int)

        enum Name: String, MachineEvent { case go, count }
    }

    struct Context: Codable, Sendable { var count = 0 }

    static let definition = Definition<Self>("turnstile", initial: .new, context: Context()) {
        In(.new) {
            On(.go, to: .open, if: "context.count > 0")
            On(.go, to: .closed)
            On(.count, .assign(["count": "context.count + 1"]))
        }
    }
}

private enum Many: MachineDefinition {
    enum State: String, MachineState { case home, a, b }
    enum Event: String, MachineEvent { case a, b, home }

    static let definition = Definition<Self>("many", initial: .home) {
        Path(from: .home, to: .a, by: .a)
        Path(from: .home, to: .b, by: .b)
        Path(from: [.a, .b], to: .home, by: .home)
    }
}
