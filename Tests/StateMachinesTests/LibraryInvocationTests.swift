import Seeds
import StateMachines
import Testing

/// Tests invocations in Swift: their text, their mistakes, and the hosts that run them.
struct LibraryInvocationTests {
    @Test func allPartsAreWritten() throws {
        // The warning: nothing takes the error of the second invocation.
        let warnings = try Everything.definition.check()
        #expect(warnings.count == 1 && "\(warnings)".contains("error.invoke"), "\(warnings)")
        #expect(
            Everything.text.contains(
                """
                      "invoke": [
                        {
                          "task": {
                            "queue": "stock",
                            "priority": "context.n > 5 ? 1 : 3"
                          },
                          "id": "shelf",
                          "input": {
                            "n": "context.n"
                          },
                          "timeout": "2h",
                          "retry": {
                            "attempts": 5,
                            "except": [
                              "declined"
                            ],
                            "factor": 3.0,
                            "first": "2s",
                            "jitter": 0.0,
                            "limit": "1m"
                          },
                          "onDone": [
                            {
                              "guard": "event.data.n > 0",
                              "target": "#end"
                            },
                            {
                              "actions": {
                                "assign": {
                                  "n": 1
                                }
                              }
                            }
                          ],
                          "onError": "#end"
                        },
                        {
                          "task": "gift",
                          "timeout": "duration('1s') * 2",
                          "retry": [
                            {
                              "attempts": "unlimited",
                              "on": [
                                "late"
                              ]
                            },
                            {
                              "attempts": 2
                            }
                          ]
                        }
                      ],
                      "on": {
                        "stop": "#end"
                      }

                """.trimmed), "\(Everything.text)")
    }

    @Test func mistakesHaveTheirLineOfSwift() {
        let line = Mistaken.line
        #expect(
            mistakes { try Mistaken.definition.check() } == [
                "\(line + 12): the context has no key 'm'; declare it in 'context'"
            ])
        #expect(
            mistakes { try Doubled.definition.check() }
                == [
                    "\(Doubled.line + 4): id 'a' is used by the invocation on line \(Doubled.line + 3)",
                    "\(Doubled.line + 5): a retry has 1 to 1000 attempts, or unlimited",
                ].sorted())
    }

    @Test func aStateMachineRefusesThem() throws {
        let message = "'packing' is a task for a worker: run it in a host, such as MemoryHost"
        let told = mistakes { _ = try StateMachine(Parcel.self) }
        #expect(told.count == 1)
        #expect(told.first?.hasSuffix(": \(message)") == true, "\(told)")
        #expect(told.first?.prefix { $0 != ":" } == "18")
        #expect(
            mistakes { _ = try MachineValue(InText.self) } == [
                "\(InText.line): line 4 of the text: \(message.replacing("packing", with: "here"))"
            ])
    }

    /// Every host reports a failure that no transition takes with this text.
    @Test(.timeLimit(.minutes(20))) func aFailureThatNothingTakesFailsTheInstance() async throws {
        let host = MemoryHost()
        let instance = try await host.start(InText.self, "one")
        let working = Task {
            try await host.work(Anything.self) { _ in throw TaskFailure(type: "no", message: "never", retry: false) }
        }
        for try await move in instance.transitions(after: 1) {
            #expect(move.event == "error.invoke.here")
            #expect(
                move.failure
                    == "'error.invoke.here' was undone: 'invoke here' of state 'here', line 4, failed: no: never; "
                    + "no transition takes 'error.invoke.here'")
            break
        }
        #expect(try await instance.read().status == .failed)
        working.cancel()
        try await working.value
    }

    /// The most urgent task comes first, then the oldest.
    @Test(.timeLimit(.minutes(20))) func urgentTasksComeFirst() async throws {
        let host = MemoryHost()
        for (name, n) in [("a", 1), ("b", 9), ("c", 1), ("d", 9)] {
            _ = try await host.start(Urgent.self, name, context: .init(n: n))
        }
        let (seen, see) = AsyncStream.makeStream(of: String.self)
        let working = Task {
            try await host.work(Anything.self) { task in
                see.yield(task.instance)
                return .null
            }
        }
        var names: [String] = []
        for await name in seen {
            names.append(name)
            if names.count == 4 { break }
        }
        #expect(names == ["b", "d", "a", "c"])
        working.cancel()
        try await working.value
    }

    private func mistakes(_ body: () throws -> Void) -> [String] {
        do {
            try body()
            return []
        } catch {
            let mistakes = (error as? DefinitionMistakes)?.mistakes ?? ["\(error)"]
            return mistakes.map { String($0.drop { $0 != ":" }.dropFirst()) }
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(reversed().drop { $0.isWhitespace }.reversed()) }
}

private enum Everything: MachineDefinition {
    enum State: String, MachineState { case work, end }
    enum Event: String, MachineEvent { case stop }
    struct Context: Codable, Sendable { var n = 0 }

    static let definition = Definition<Self>("everything", initial: .work, context: Context()) {
        In(.work) {
            Invoke(
                task: Stock.self, id: "shelf", input: ["n": "context.n"], priority: "context.n > 5 ? 1 : 3",
                timeout: .seconds(7_200),
                retry: Retry(
                    attempts: 5, first: .seconds(2), factor: 3, limit: .seconds(60), jitter: 0, except: ["declined"])
            ) {
                OnDone(to: .end, if: "event.data.n > 0")
                OnError(to: .end)
                OnDone(.assign(["n": 1]))
            }
            On(.stop, to: .end)
            Invoke(task: "gift", timeout: "duration('1s') * 2", retry: [.unlimited(on: ["late"]), Retry(attempts: 2)])
        }
        In(.end, .final)
    }
}

private enum Mistaken: MachineDefinition {
    enum State: String, MachineState { case work, end }
    typealias Event = NoEvent
    struct Context: Codable, Sendable { var n = 0 }
    static let line = #line
    static let definition = Definition<Self>("mistaken", initial: .work, context: Context()) {
        In(.work) {
            Invoke(task: "stock") {
                for value in [1, 2] where value > 1 {
                    OnDone(
                        if: "event.data.n > 0",
                        .choose(
                            if: "context.n > 1",
                            then: [.assign(["n": 1])]))
                }
                OnDone(to: .end)
                OnError(to: .end, .assign(["m": 1]))
            }
        }
        In(.end, .final)
    }
}

private enum Doubled: MachineDefinition {
    enum State: String, MachineState { case work }
    typealias Event = NoEvent
    static let line = #line
    static let definition = Definition<Self>("doubled", initial: .work) {
        In(.work) {
            Invoke(task: "one", id: "a")
            Invoke(task: "two", id: "a")
            Invoke(task: "three", id: "b", retry: Retry(attempts: 0))
        }
    }
}

private enum InText: MachineDefinition {
    enum State: String, MachineState { case here }
    typealias Event = NoEvent
    static let line = #line + 1
    static let definition = Definition<Self>(
        text: """
            id: intext
            initial: here
            states:
              here: {invoke: {task: anything}}
            """)
}

private enum Urgent: MachineDefinition {
    enum State: String, MachineState { case here, there }
    typealias Event = NoEvent
    struct Context: Codable, Sendable { var n = 0 }
    static let definition = Definition<Self>("urgent", initial: .here, context: Context()) {
        In(.here) {
            Invoke(task: Anything.self, priority: "context.n > 5 ? 1 : 3") { OnDone(to: .there) }
        }
        In(.there, .final)
    }
}

private enum Anything: MachineTask {
    static let queue = "anything"
    typealias Input = JSONValue
    typealias Output = JSONValue
}
