import DaemonTesting
import Testing
import WorkflowJSON

/// Tests `screens` of `Examples/`: a table from state and event to state.
@Suite struct ScreensTests {
    @Test(.timeLimit(.minutes(20))) func theRoutesOfTheTableLeadHome() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        #expect(try await daemon.said("apply", Programs.example("screens")) == "screens: version 1\n")
        #expect(
            try await daemon.said("start", "screens", "phone-1")
                == "phone-1: started in initial   (screens version 1, seq 1)\n")
        let routes = [
            ("launch", "initial -> greeting   (seq 1 -> 2)"), ("start", "greeting -> login   (seq 2 -> 3)"),
            ("loggedIn", "login -> home   (seq 3 -> 4)"),
        ]
        for (event, line) in routes {
            #expect(try await daemon.said("send", "phone-1", event) == "phone-1: \(line)\n")
        }
        #expect(try await daemon.json("show", "phone-1")["configuration"] == ["home"])
    }

    @Test(.timeLimit(.minutes(20))) func aRouteThatIsNotInTheTableIsRefusedAndChangesNothing() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("screens")
        _ = try await daemon.said("send", "screens", "launch")
        let before = try await daemon.json("show", "screens")

        let refused = try await daemon.wfctl("send", "screens", "loggedIn")
        #expect(refused.end == .exited(5))
        #expect(refused.output == "")
        #expect(
            refused.errors == """
                error: screens does not accept 'loggedIn' in state 'greeting' (seq 2)
                  accepted now: start

                """)
        #expect(try await daemon.json("show", "screens") == before)
        #expect(try await daemon.json("history", "screens").elements.count == 2)
    }
}
