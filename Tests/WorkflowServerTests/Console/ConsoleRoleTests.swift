import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowConsole
import WorkflowServer

/// Tests each act with each role, without the page that has its button.
@Suite(.timeLimit(.minutes(20))) struct ConsoleRoleTests {
    /// The fields that let the API decide about an act: all that it asks for, for an object that there is not.
    ///
    /// A new act needs a row here.
    private static let fields: [String: String] = [
        "stop-run": "", "resume-run": "",
        "send": "event=free", "retry": "", "skip": "reason=r", "set": "reason=r&set=n%3D1", "suspend": "", "resume": "",
        "cancel": "reason=r", "reset": "reason=r&to=1", "migrate": "reason=r", "undo": "reason=r",
        "retry-effect": "effect=t", "skip-effect": "effect=t&result=1", "cancel-effect": "effect=t",
    ]

    @Test(arguments: Role.allCases) func eachActIsForTheRolesOfItsRoute(role: Role) async throws {
        #expect(Set(ConsolePages.acts.map(\.word)) == Set(Self.fields.keys))
        let actor = try await ConsoleActor([role])
        try await actor.start("x")
        let value = try ConsoleHost.formValue(in: await actor.get("/console/"))
        for (word, route) in ConsolePages.acts {
            let body = "form=\(value)&step=do&seq=9&key=k-\(word)&\(Self.fields[word] ?? "")"
            let answer = try await actor.host.post("/console/act/\(word)/x", body, actor.cookie)
            let may = role.permissions.contains(route.permission)
            #expect((answer.status != 403) == may, "\(role) \(word) \(answer.status) \(answer.text)")
            let names = Role.having(route.permission).map(\.rawValue).joined(separator: ", ")
            let reads = role.permissions.contains(.read)
            if !may, reads { #expect(answer.text.contains("Roles that may: \(names)"), "\(word)") }
        }
        #expect(try await actor.history("x").count == 1)
        try await actor.host.server.stop()
    }

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
