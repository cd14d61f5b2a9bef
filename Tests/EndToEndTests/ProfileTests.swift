import DaemonTesting
import Testing
import WorkflowJSON

/// Tests `profile` of `Examples/`: states that define what may follow, and act when they are entered and exited.
@Suite struct ProfileTests {
    @Test(.timeLimit(.minutes(20)), arguments: ["succeed", "fail"])
    func theIndicatorTurnsWhileItRetrievesWhicheverWayItIsLeft(way: String) async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        #expect(try await daemon.json("show", "profile")["context"] == ["busy": true])
        #expect(try await daemon.json("send", "profile", way)["context"] == ["busy": false])
        #expect(try await daemon.json("send", "profile", "retry")["context"] == ["busy": true])
    }

    @Test(.timeLimit(.minutes(20))) func onlyTheStatesThatAreNamedMayFollow() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        let refused = try await daemon.wfctl("send", "profile", "retry")
        #expect(refused.end == .exited(5))
        #expect(
            refused.errors == """
                error: profile does not accept 'retry' in state 'retrieving' (seq 1)
                  accepted now: fail, succeed

                """)
        for (event, state) in [("succeed", "available"), ("retry", "retrieving"), ("fail", "unavailable")] {
            #expect(try await daemon.json("send", "profile", event)["to"] == [.string(state)])
        }
        #expect(try await daemon.wfctl("send", "profile", "succeed").end == .exited(5))
    }

    @Test(.timeLimit(.minutes(20))) func askingIsFreeOfEffects() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("profile")
        let before = try DatabaseFile(daemon.database).dump()

        let expected = """
            EVENT     ACCEPTED
            fail      yes
            retry     no
            succeed   yes

            """
        #expect(try await daemon.said("events", "profile") == expected)
        #expect(
            try await daemon.said("send", "profile", "succeed", "--dry-run")
                == "profile: retrieving -> available   (seq 1 -> 2, dry run: nothing was changed)\n")
        #expect(try await daemon.wfctl("send", "profile", "retry", "--dry-run").end == .exited(5))
        #expect(try DatabaseFile(daemon.database).dump() == before)
    }
}
