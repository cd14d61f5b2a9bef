import WorkflowStore

/// Counts the claims of callers to places that they share. One caller may have all places. When a caller wants a place
/// and none is free, the caller with the most claims loses its newest one.
///
/// A count changes by one, so each call takes constant time, besides the search among the claims of one caller.
struct FairShares {
    /// The claims of each caller, oldest first.
    private var claims: [Actor?: [Claim]] = [:]
    /// The callers, by the number of their claims.
    private var callers: [Int: Set<Actor?>] = [:]
    /// The most claims that a caller has.
    private var most = 0
    private var last: UInt64 = 0
    /// The number of all claims.
    private(set) var count = 0

    /// Returns the number of a caller's claims.
    func count(of caller: Actor?) -> Int { claims[caller]?.count ?? 0 }

    /// Makes a claim for a caller.
    mutating func claim(for caller: Actor?) -> Claim {
        last += 1
        let claim = Claim(of: caller, number: last)
        add(claim)
        return claim
    }

    /// Adds a claim that is newer than those here.
    mutating func add(_ claim: Claim) {
        claims[claim.caller, default: []].append(claim)
        count += 1
        let new = count(of: claim.caller)
        recount(claim.caller, from: new - 1, to: new)
    }

    /// Removes a claim; has no effect if it is not here.
    mutating func remove(_ claim: Claim) {
        guard let place = place(of: claim) else { return }
        claims[claim.caller]?.remove(at: place)
        count -= 1
        let new = count(of: claim.caller)
        if new == 0 { claims[claim.caller] = nil }
        recount(claim.caller, from: new + 1, to: new)
    }

    /// Returns the claim to remove for a new one of a caller; `nil` if no other caller would still have as many claims
    /// as this one then. So callers never take a place from each other in turn.
    func leaving(for caller: Actor?) -> Claim? {
        guard count(of: caller) + 1 < most, let other = callers[most]?.first else { return nil }
        return claims[other]?.last
    }

    private mutating func recount(_ caller: Actor?, from old: Int, to new: Int) {
        callers[old]?.remove(caller)
        if callers[old]?.isEmpty == true { callers[old] = nil }
        if new > 0 { callers[new, default: []].insert(caller) }
        if new > most || callers[most] == nil { most = new }
    }

    private func place(of claim: Claim) -> Int? {
        guard let own = claims[claim.caller] else { return nil }
        var range = own.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if own[middle].number == claim.number { return middle }
            range = own[middle].number < claim.number ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
