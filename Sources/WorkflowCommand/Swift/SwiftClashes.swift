import Statechart

/// Collects names that coincide in Swift, or have no form in Swift.
struct SwiftClashes {
    /// The owner of the names, with a blank before: ` of event 'pay'`.
    private let owner: String
    private var found: [String: String] = [:]
    private var told: [(message: String, hasAdvice: Bool, place: DefinitionPlace?)] = []

    init(of owner: String = "") {
        self.owner = owner
    }

    /// Adds a name and its form in Swift; `nil` if no form is left.
    mutating func add(_ name: String?, for original: String, at place: DefinitionPlace?) {
        guard let name else {
            told.append(("'\(original)'\(owner) leaves no name in Swift", false, place))
            return
        }
        if SwiftName.takenMembers.contains(name) {
            told.append(("'\(original)'\(owner) is '\(name)' in Swift, which the compiler makes itself", false, place))
        } else if let first = found[name] {
            told.append(("'\(first)' and '\(original)'\(owner) are both '\(name)' in Swift", true, place))
        } else {
            found[name] = original
        }
    }

    /// Returns the mistakes that were found.
    ///
    /// - Parameter advice: The remedy for two names that coincide: `name one in meta`.
    func mistakes(advice: String) -> [Diagnostic] {
        told.map { message, hasAdvice, place in
            let remedy = hasAdvice ? advice : advice.replacing("one", with: "it")
            return Diagnostic(
                .error, line: place?.line ?? 1, column: place?.column ?? 1, message: "\(message): \(remedy)")
        }
    }
}
