import WorkflowAPI

/// The reason why tokens cannot be read or changed.
package struct AccessError: Error, CustomStringConvertible {
    /// The kinds of reasons.
    package enum Code: Sendable {
        /// The file cannot be trusted, or is damaged.
        case refused
        /// The file cannot be written.
        case notWritten
        /// A rule names a user or a group that does not exist.
        case unknownName
        /// The system's databases of users do not answer.
        case unanswered
        case noSuchToken
        case nameTaken
        case tooMany
        /// The caller's own token ended before the change.
        case notAdmitted
    }

    package let code: Code
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static func unknown(_ kind: String, _ name: String) -> AccessError {
        AccessError(.unknownName, "access.unix names the \(kind) '\(name)', whom this machine does not know")
    }

    /// Creates the error for rules whose names cannot be looked up.
    ///
    /// - Parameter seconds: The time that was waited; `nil` if an earlier look-up still waits.
    package static func unanswered(after seconds: Int?) -> AccessError {
        let wait = seconds.map { "there was no answer within \($0) seconds" } ?? "an earlier question has no answer yet"
        return AccessError(
            .unanswered,
            "access.unix: the users and groups cannot be looked up, \(wait); check the machine's directory service, or "
                + "write numbers instead of names")
    }

    static func noSuchToken(_ name: String) -> AccessError {
        // A name may be a secret that was typed in the wrong place.
        let name = TokenRule.message(forName: name) == nil ? " '\(name)'" : " of this name"
        return AccessError(.noSuchToken, "There is no token\(name); 'wfctl token list' has the tokens")
    }
}
