package import WorkflowAPI

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A rule that gives users of this machine a role, when they call over a unix socket.
package struct UnixRule: Sendable, Equatable {
    /// The users whom a rule names.
    package enum Subject: Sendable, Equatable {
        case user(String)
        case group(String)
    }

    package let subject: Subject
    package let role: Role

    package init(_ subject: Subject, _ role: Role) {
        self.subject = subject
        self.role = role
    }
}

/// The rules for users of this machine, by number.
///
/// Names are looked up once, when the rules are read: no connection waits for a directory service.
package struct UnixAccess: Sendable {
    private var users: [UInt32: Set<Role>] = [:]
    private var groups: [UInt32: Set<Role>] = [:]

    /// Looks up the rules' names. Blocks as long as the system's databases do.
    ///
    /// - Parameters:
    ///   - user: Returns the number of a user.
    ///   - group: Returns the number of a group.
    package init(
        _ rules: [UnixRule], user: (String) -> UInt32? = UnixAccess.number(ofUser:),
        group: (String) -> UInt32? = UnixAccess.number(ofGroup:)
    ) throws(AccessError) {
        for rule in rules {
            switch rule.subject {
            case .user(let name):
                guard let number = user(name) else { throw .unknown("user", name) }
                users[number, default: []].insert(rule.role)
            case .group(let name):
                guard let number = group(name) else { throw .unknown("group", name) }
                groups[number, default: []].insert(rule.role)
            }
        }
    }

    /// Returns the roles of a user with its groups; none for a user whom no rule names. Root and the user of wfd have
    /// all permissions.
    package func roles(of user: UInt32, _ groups: [UInt32], own: UInt32 = geteuid()) -> [Role] {
        if user == 0 || user == own { return [.admin] }
        let roles = groups.reduce(into: users[user] ?? []) { $0.formUnion(self.groups[$1] ?? []) }
        return Role.allCases.filter(roles.contains)
    }

    /// Returns the number of a user by its name, or by its number in digits.
    package static func number(ofUser name: String) -> UInt32? {
        // Proof: it is nil for a text that is no number.
        UInt32(name) ?? getpwnam(name)?.pointee.pw_uid
    }

    /// Returns the number of a group by its name, or by its number in digits.
    package static func number(ofGroup name: String) -> UInt32? {
        // Proof: it is nil for a text that is no number.
        UInt32(name) ?? getgrnam(name)?.pointee.gr_gid
    }
}
