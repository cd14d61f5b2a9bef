import Seeds
import StateMachines
import Testing

struct ScreensTests {
    @Test func onlyRoutesAreTaken() throws {
        let machine = try StateMachine(Screens.self)
        #expect("\(try machine.send(.launch))" == "initial -> greeting   (seq 1 -> 2)")
        #expect(throws: Refusal<Screens>.self) { try machine.send(.loggedIn) }
        #expect(machine.attempt(.start))
        #expect(!machine.attempt(.start))
        #expect(machine.state == .login)
    }

    @Test func aRefusalSaysWhatIsAccepted() throws {
        let machine = try StateMachine(Screens.self)
        let refusal = #expect(throws: Refusal<Screens>.self) { try machine.send(.start) }
        #expect(refusal?.reason == .notAccepted)
        #expect(refusal?.accepted == [.launch])
        #expect(
            refusal?.description
                == "screens does not accept 'start' in state 'initial' (seq 1); accepted now: launch")
    }
}

struct RequestTests {
    @Test func aHundredFetchesAreOneRequest() throws {
        let machine = try StateMachine(Request.self)
        var moves: [String] = []
        machine.onTransition { moves.append($0.description) }
        #expect((1...100).count { _ in machine.attempt(.fetch) } == 1)
        #expect(moves == ["ready -> fetching   (seq 1 -> 2)"])
    }

    @Test func valuesTravelWithTheState() throws {
        let machine = try StateMachine(Request.self)
        try machine.send(.fetch)
        try machine.send(.succeed("Ada"))
        #expect(machine.state == .success(result: "Ada"))
        try machine.send(.reset)
        #expect(machine.context == Request.Context())
        try machine.send(.save)
        try machine.send(.fail("offline"))
        #expect(machine.state == .failure(error: "offline"))
    }

    @Test func theProgramIsAskedBefore() throws {
        let machine = try StateMachine(Request.self)
        var isOnline = false
        machine.shouldTransition = { _, to in to != .fetching || isOnline }
        let refusal = #expect(throws: Refusal<Request>.self) { try machine.send(.fetch) }
        #expect(refusal?.reason == .vetoed)
        #expect(machine.state == .ready)
        isOnline = true
        #expect(machine.attempt(.fetch))
    }
}

struct EditorTests {
    @Test func aTabIsLeftFromTheInsideAndEnteredFromTheOutside() throws {
        let machine = try StateMachine(Editor.self)
        try machine.send(.filter)
        try machine.send(.beauty)
        let move = try machine.send(.text)
        #expect(move.exited == [.beauty, .filter])
        #expect(move.entered == [.text, .textNone])
        #expect(!machine.canSend(.beauty))
    }

    @Test func itComesBackToThePageThatWasLeft() throws {
        let machine = try StateMachine(Editor.self)
        try machine.send(.filter)
        try machine.send(.vintage)
        try machine.send(.music)
        try machine.send(.resume)
        #expect(machine.state == .vintage)
        #expect(machine.isIn(.filter))
    }
}

@MainActor struct ProfileTests {
    @Test func aStateActsForTheView() throws {
        let view = ProfileView()
        let machine = try StateMachine(Profile.self)
        machine.set(Retrieving(view), for: .retrieving)
        machine.set(Available(view), for: .available)
        #expect(view.isSpinning)
        try machine.send(.succeed)
        #expect(!view.isSpinning)
        #expect(view.title == "Ada")
        #expect(machine.canSend(.retry))
        #expect(machine.canReach(.retrieving))
        #expect(!machine.canReach(.unavailable))
        try machine.send(.retry)
        #expect(view.isSpinning)
    }
}

@MainActor struct CameraTests {
    @Test func theViewHearsTheOutputs() throws {
        let view = CameraView()
        let machine = try StateMachine(Camera.self)
        machine.onOutput(with: view) { view, output in view.show(output) }
        try machine.send(.shoot)
        #expect(view.flashes == 1)
        machine.advance(by: .milliseconds(20))
        #expect(view.flashes == 1)
        #expect(view.message == "picture 1")
    }

    @Test func aValueReturnsTheOutputs() throws {
        var value = try MachineValue(Camera.self)
        #expect(try value.take(.shoot).outputs == [Output(name: "flash")])
    }
}

/// `Order` is what `wfctl generate swift` made of a definition in YAML.
struct OrderTests {
    /// The compiler knows all places, also which departments can still be waiting.
    private func words(of state: Order.State) -> String {
        switch state {
        case .review(legal: .pending, finance: .pending): "in review"
        case .review(legal: .ok, finance: _), .review(legal: _, finance: .ok): "half reviewed"
        case .draft, .awaitingPayment, .packing, .shipped, .rejected: "elsewhere"
        }
    }

    @Test func bothDepartmentsReview() throws {
        let machine = try StateMachine(Order.self)
        #expect(words(of: machine.state) == "elsewhere")
        try machine.send(.submit(["amount": 1_250]))
        #expect(machine.state == .review(legal: .pending, finance: .pending))
        #expect(words(of: machine.state) == "in review")
        try machine.send(.financeOk)
        #expect(machine.state == .review(legal: .pending, finance: .ok))
        #expect(words(of: machine.state) == "half reviewed")
        #expect(machine.isIn(.reviewFinanceOk))
        try machine.send(.legalOk)
        #expect(machine.state == .awaitingPayment)
    }

    @Test func anEventHasItsData() throws {
        let machine = try StateMachine(Order.self)
        try machine.send(.submit(["amount": 250]))
        try machine.send(.legalOk)
        try machine.send(.pay(card: "tok_9"))
        #expect(machine.context.paidWith == "tok_9")
        #expect("\(try machine.send(.packed))" == "packing -> shipped   (seq 4 -> 5)")
        #expect(machine.status == .done)
    }
}

/// One protocol, three places: what runs here in memory also runs in a file and in a daemon.
struct HostTests {
    @Test func aRocketFliesInMemory() async throws {
        let host = MemoryHost()
        let apollo = try await host.start(Rocket.self, "apollo")
        try await apollo.send(.fire)
        await host.advance(by: .seconds(5))
        #expect(try await apollo.read().state == .launched)
    }
}
