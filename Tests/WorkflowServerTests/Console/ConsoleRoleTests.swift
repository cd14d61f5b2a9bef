import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowServer

/// Tests what each role sees of the acts. `ConsoleActTableTests` does them by hand.
@Suite(.timeLimit(.minutes(20))) struct ConsoleRoleTests {
    @Test(arguments: [Role.view, .send, .deploy]) func whatARoleMayNotDoIsThereAndDisabled(role: Role) async throws {
        let actor = try await ConsoleActor([role])
        try await actor.start("x", .failed)
        let page = try await actor.get("/console/instances/x")
        for word in ["send", "retry", "skip", "set", "cancel", "reset", "migrate", "undo"] {
            let form = try ConsoleForm(in: page, to: "/console/instances/x/\(word)")
            #expect(form.isDisabled)
            let asked = try await actor.get("/console/instances/x/\(word)?event=free")
            let isDisabled = try ConsoleForm(in: asked, to: "/console/act/\(word)/x").isDisabled
            #expect(isDisabled == (word != "send" || role != .send), "\(role) \(word)")
        }
        #expect(page.text.contains("Roles that may: operate, admin."))
        try await actor.host.server.stop()
    }
}
