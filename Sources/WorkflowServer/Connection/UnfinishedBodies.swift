import Synchronization
import WorkflowAPI
import WorkflowStore

/// Bounds the bytes of bodies whose ends have not arrived, over all addresses of a daemon. The bytes are counted in
/// parts; less than a part is free. When no part is left, the caller with the most gives way.
final class UnfinishedBodies: Sendable {
    private let bound: (parts: Int, bytes: Int)
    private let shares = Mutex(FairShares())

    init(limits: ServerLimits) {
        bound = (max(1, limits.unfinishedBytes / limits.unfinishedPart), limits.unfinishedPart)
    }

    /// The number of taken parts.
    var count: Int { shares.withLock { $0.count } }

    private func take(for caller: Actor?) throws(Problem) -> Claim {
        let taken = shares.withLock { shares -> (claim: Claim, lost: Claim?)? in
            guard shares.count >= bound.parts else { return (shares.claim(for: caller), nil) }
            guard let lost = shares.leaving(for: caller) else { return nil }
            shares.remove(lost)
            return (shares.claim(for: caller), lost)
        }
        guard let taken else {
            throw Problem(
                .overloaded, detail: "Unfinished bodies have \(bound.parts * bound.bytes) bytes already, the most")
        }
        taken.lost?.lose()
        return taken.claim
    }

    /// The parts of one body, given back when the last reference to the share is released. For one thread at a time.
    final class Share {
        private let bodies: UnfinishedBodies
        private let caller: Actor?
        private let lost: @Sendable () -> Void
        private var claims: [Claim] = []

        /// - Parameter lost: Called when another caller gets one of the parts.
        init(of bodies: UnfinishedBodies, for caller: Actor?, lost: @escaping @Sendable () -> Void) {
            (self.bodies, self.caller, self.lost) = (bodies, caller, lost)
        }

        deinit {
            giveBack(claims.count)
        }

        /// Takes or gives back parts until there are as many as the bytes need, or throws `overloaded`.
        func resize(to bytes: Int) throws(Problem) {
            let parts = bytes / bodies.bound.bytes
            if parts < claims.count { giveBack(claims.count - parts) }
            while claims.count < parts {
                let claim = try bodies.take(for: caller)
                claims.append(claim)
                claim.whenLost(lost)
            }
        }

        private func giveBack(_ count: Int) {
            guard count > 0 else { return }
            bodies.shares.withLock { shares in
                for claim in claims.suffix(count) { shares.remove(claim) }
            }
            claims.removeLast(count)
        }
    }
}
