/// What a call of a function of the host knows of its place.
struct HostCallSite: Sendable {
    let name: String
    let range: Range<Int>
    /// The types of the parameters of each overload, as words.
    let signatures: [[String]]

    /// What is said when no overload takes values of these types.
    func noOverload(_ types: [String]) -> String {
        let known = signatures.map { CallSite.signature(name, false, $0) }
        return "no such overload: \(CallSite.signature(name, false, types)); there is \(known.listed)"
    }
}
