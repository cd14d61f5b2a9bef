/// A named set of permissions, which a token or a user of the daemon's machine has.
public enum Role: String, WireWord, Sendable, CaseIterable {
    /// Reads metrics and status: monitoring.
    case monitor
    /// Reads everything: people who look on.
    case view
    /// Starts instances and sends events: an application.
    case send
    /// Takes tasks and reports their results: a worker.
    case work
    /// Applies definitions: a deployment.
    case deploy
    /// Repairs, runs and verifies: the person who is on call.
    case operate
    /// Does everything: the administrator.
    case admin

    /// The permissions of the role. `health` needs no role.
    public var permissions: Set<Route.Permission> {
        switch self {
        case .monitor: [.status]
        case .view: [.status, .read]
        case .send: [.status, .read, .send]
        case .work: [.status, .work]
        case .deploy: [.status, .read, .define]
        case .operate: [.status, .read, .send, .work, .operate]
        case .admin: Set(Route.Permission.allCases).subtracting([.health])
        }
    }

    /// Returns the roles that have a permission, the smallest first.
    public static func having(_ permission: Route.Permission) -> [Role] {
        allCases.filter { $0.permissions.contains(permission) }
    }
}

extension Route.Permission: WireWord {}
