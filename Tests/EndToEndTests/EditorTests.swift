import DaemonTesting
import Testing
import WorkflowJSON

/// Tests `editor` of `Examples/`: a tree of states, with the order in which they are exited and entered.
@Suite struct EditorTests {
    /// The effect of one event: states are exited innermost first, and entered outermost first.
    private struct Move: Equatable {
        let event: String
        let exited: [String]
        let entered: [String]

        init(_ event: String, _ exited: [String], _ entered: [String]) {
            self.event = event
            self.exited = exited
            self.entered = entered
        }

        /// Reads the move from an answer or from a row of history.
        init(_ json: JSONValue) {
            event = json["event"].string ?? ""
            exited = json["exited"].elements.compactMap(\.string)
            entered = json["entered"].elements.compactMap(\.string)
        }
    }

    private static let moves = [
        Move("filter", ["none"], ["filter", "filter.none"]),
        Move("beauty", ["filter.none"], ["filter.beauty"]),
        Move("vintage", ["filter.beauty"], ["filter.vintage"]),
        Move("back", ["filter.vintage"], ["filter.none"]),
        Move("beauty", ["filter.none"], ["filter.beauty"]),
        Move("text", ["filter.beauty", "filter"], ["text", "text.none"]),
        Move("colour", ["text.none"], ["text.colour"]),
        // The state that was left in 'filter' comes back through 'resume' …
        Move("resume", ["text.colour", "text"], ["filter", "filter.beauty"]),
        Move("music", ["filter.beauty", "filter"], ["music"]),
        // … and does not through 'filter'.
        Move("filter", ["music"], ["filter", "filter.none"]),
        Move("none", ["filter.none", "filter"], ["none"]),
        Move("text", ["none"], ["text", "text.none"]),
        Move("font", ["text.none"], ["text.font"]),
        Move("back", ["text.font"], ["text.none"]),
        // If 'filter' was left at its own 'none', 'resume' goes there.
        Move("resume", ["text.none", "text"], ["filter", "filter.none"]),
    ]

    @Test(.timeLimit(.minutes(20))) func everyLevelIsLeftFromTheInsideAndEnteredFromTheOutside() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("editor")
        for move in Self.moves {
            #expect(Move(try await daemon.json("send", "editor", move.event, "--detail")) == move)
        }
        let history = try await daemon.json("history", "editor", "--detail").elements.map(Move.init)
        #expect(history == [Move("init", [], ["none"])] + Self.moves)
    }

    @Test(.timeLimit(.minutes(20))) func theChildrenOfATabExistOnlyWhileItIsActive() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("editor")
        _ = try await daemon.said("send", "editor", "text")
        let refused = try await daemon.wfctl("send", "editor", "beauty")
        #expect(refused.end == .exited(5))
        #expect(
            refused.errors == """
                error: editor does not accept 'beauty' in state 'text.none' (seq 2)
                  accepted now: colour, filter, font, music, none, resume

                """)
    }

    @Test(.timeLimit(.minutes(20))) func whatWasLeftIsRememberedThroughAKill() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        try await daemon.begin("editor")
        for event in ["filter", "vintage", "music"] { _ = try await daemon.said("send", "editor", event) }
        try await daemon.kill()
        daemon = try await Daemon(in: folder)
        let answer = try await daemon.json("send", "editor", "resume", "--detail")
        #expect(Move(answer) == Move("resume", ["music"], ["filter", "filter.vintage"]))
    }
}
