import WorkflowStore

// Leases that run out, beside the commands.

extension Lane {
    /// Takes the leases of before the start.
    func resumeLeases() throws(StoreError) {
        let now = clock.now()
        var after: Position?
        repeat {
            let page = try store.leasedEffects(after: after, limit: limits.batchRows)
            for effect in page { try leases.resume(effect, at: now) }
            after = page.count < limits.batchRows ? nil : page.last?.id
        } while after != nil
    }

    /// Fails the attempts whose leases have run out, as far as half a batch takes them.
    func expireLeases(into builder: inout BatchBuilder, since begin: ContinuousClock.Instant) {
        while !waitsForMachine, applier.isOpen(builder, since: begin, share: 2),
            let (effect, secret) = leases.popExpired(by: builder.now)
        {
            do throws(Rejection) {
                try builder.expire(effect, secret: secret)
            } catch {
                waitsForMachine = error.wait != nil
                // What cannot be read now may be read soon.
                let pause: Int64 = waitsForMachine ? 0 : 1_000
                leases.postpone(effect, until: Timestamp(rawValue: builder.now.rawValue + pause))
                return
            }
        }
    }

    /// Lets effects that were held for want of something be tried again, as far as half a batch takes them.
    func readyHeld(into builder: inout BatchBuilder, since begin: ContinuousClock.Instant) {
        while !areTimersResting, !waitsForMachine, let place = leases.heldPlace,
            applier.isOpen(builder, since: begin, share: 2)
        {
            do throws(Rejection) {
                leases.lookedForHeld(upTo: try builder.readyHeld(from: place, limit: max(1, limits.batchRows / 4)))
            } catch {
                if error.wait != nil {
                    waitsForMachine = true
                    return
                }
                // What cannot be read now may be read soon.
                return rest()
            }
        }
    }
}
