package import WorkflowAPI
package import WorkflowCalls

/// The person for whom a page is made.
package struct Visitor: Sendable {
    /// The client whose requests are this person's.
    let client: WorkflowClient
    /// The caller, as the history names it.
    let name: String
    let roles: [Role]
    /// The value that shows that a form is from a page of this session.
    let formValue: String
    /// True if there is a session that can be ended; false behind a proxy, which knows the person at each request.
    let hasSession: Bool

    /// True if the person may see instances.
    var mayRead: Bool { roles.contains { $0.permissions.contains(.read) } }
    /// Makes an idempotency key for a form.
    let newKey: @Sendable () -> String
    /// The time that a page waits for a rehearsal of many instances.
    let patience: Duration

    /// - Parameters:
    ///   - client: The client whose requests are this person's.
    ///   - name: The caller, as the history names it.
    ///   - formValue: The value that shows that a form is from a page of this session.
    ///   - hasSession: True if there is a session that can be ended.
    ///   - newKey: Makes an idempotency key for a form.
    ///   - patience: The time that a page waits for a rehearsal of many instances.
    package init(
        client: WorkflowClient, name: String, roles: [Role], formValue: String, hasSession: Bool,
        newKey: @escaping @Sendable () -> String, patience: Duration = .seconds(25)
    ) {
        (self.client, self.name, self.roles) = (client, name, roles)
        (self.formValue, self.hasSession, self.newKey) = (formValue, hasSession, newKey)
        self.patience = patience
    }
}
