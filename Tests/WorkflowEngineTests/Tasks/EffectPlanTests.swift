import IdentityTesting
import Statechart
import Testing
import WorkflowStore

@testable import WorkflowEngine  // The plan is no part of what the daemon uses.

/// Tests which effects run and which come next, without threads.
struct EffectPlanTests {
    private static let queue = "http:h:80"
    private var plan = EffectPlan(places: 8, bytes: 1 << 20, begun: 128)

    private static func effect(
        due: Int64, attempts: Int64 = 0, id: Int64 = 2, queue: String = EffectPlanTests.queue
    ) -> EffectRecord {
        EffectRecord(
            id: Position(rawValue: id), instanceID: InstanceID(rawValue: 1), seq: Seq(rawValue: 1), number: 1,
            name: "a", queue: queue, priority: 3, due: Timestamp(rawValue: due), attempts: attempts, request: "{}")
    }

    private static func found(_ effect: EffectRecord, runsAlone: Bool = false) -> FoundEffect {
        FoundEffect(
            effect: effect, instance: InstanceKey("o", in: .default), uuid: UniqueID(bytes: Array(1...16)),
            runsAlone: runsAlone)
    }

    private static func batch(new: [EffectRecord] = [], changed: [EffectRecord] = [], at time: Int64) -> StoreBatch {
        var batch = StoreBatch(
            numbers: StoreNumbers(
                nextPosition: Position(rawValue: 9), nextInstance: InstanceID(rawValue: 9),
                nextMachine: MachineID(rawValue: 9), last: Timestamp(rawValue: time)))
        batch.newEffects = new
        batch.changedEffects = changed
        return batch
    }

    /// Returns the next action at a time.
    private mutating func next(at time: Int64) -> String {
        switch plan.next(at: Timestamp(rawValue: time), settings: { _ in (places: 4, rate: nil) }) {
        case .start(let found): "start \(found.effect.attempts + 1)"
        case .find(_, _, let except): "find all but \(except.count)"
        case nil: "nothing"
        }
    }

    private mutating func adopt(_ batch: StoreBatch, at time: Int64) {
        _ = plan.adopt(batch, at: Timestamp(rawValue: time)) { $0 == Self.queue }
    }

    private mutating func find(_ effects: EffectRecord...) {
        plan.found(effects.map { Self.found($0) }, of: Self.queue, hasMore: false, next: nil)
    }

    /// The failure is on disk, and the effect is due again, before the executor is told. It is not found while its
    /// place is taken, and is then looked for again.
    @Test(arguments: [100, 120]) mutating func aRetryThatIsDueBeforeItsPlaceIsFreeIsMade(due: Int64) {
        let effect = Self.effect(due: 100)
        adopt(Self.batch(new: [effect], at: 100), at: 100)
        #expect(next(at: 100) == "find all but 0")
        find(effect)
        #expect(next(at: 100) == "start 1")
        let failed = Self.effect(due: due, attempts: 1)
        adopt(Self.batch(changed: [failed], at: 100), at: 100)
        #expect(next(at: due) == "find all but 1")
        find()
        #expect(next(at: due) == "nothing")
        _ = plan.ended(effect.id, of: Self.queue, isReached: false)
        #expect(next(at: due) == "find all but 0")
        find(failed)
        #expect(next(at: due) == "start 2")
    }

    /// It waits until nothing runs, and everything else waits until it has ended.
    @Test mutating func whatRunsAloneRunsAlone() {
        let (first, alone) = (Self.effect(due: 100, id: 2), Self.effect(due: 100, attempts: 2, id: 3))
        let others = [4, 5].map { Self.effect(due: 100, attempts: 7, id: $0) }
        adopt(Self.batch(new: [first], at: 100), at: 100)
        #expect(next(at: 100) == "find all but 0")
        let found = [Self.found(first), Self.found(alone, runsAlone: true)] + others.map { Self.found($0) }
        plan.found(found, of: Self.queue, hasMore: false, next: nil)
        #expect(next(at: 100) == "start 1")
        for _ in 0..<2 { #expect(next(at: 100) == "nothing") }
        #expect(plan.ended(first.id, of: Self.queue, isReached: true) == true)
        #expect(next(at: 100) == "start 3")
        #expect(next(at: 100) == "nothing")
        #expect(plan.ended(alone.id, of: Self.queue, isReached: true) == true)
        for _ in 0..<2 { #expect(next(at: 100) == "start 8") }
    }

    /// Effects that waited for its start or for its end do not wait any more.
    @Test(arguments: [false, true]) mutating func theEndOfOneThatRunsAloneLetsOthersStart(isRunning: Bool) {
        let (first, alone) = (Self.effect(due: 100, id: 2), Self.effect(due: 100, attempts: 2, id: 3))
        let other = Self.effect(due: 100, attempts: 7, id: 4)
        adopt(Self.batch(new: [first], at: 100), at: 100)
        #expect(next(at: 100) == "find all but 0")
        let found = [Self.found(first), Self.found(alone, runsAlone: true), Self.found(other)]
        plan.found(isRunning ? Array(found.dropFirst()) : found, of: Self.queue, hasMore: false, next: nil)
        #expect(next(at: 100) == (isRunning ? "start 3" : "start 1"))
        #expect(next(at: 100) == "nothing")
        // Somebody cancels the effect that runs alone.
        var batch = Self.batch(at: 100)
        batch.endedEffects = [alone.id]
        adopt(batch, at: 100)
        if isRunning { #expect(plan.ended(alone.id, of: Self.queue, isReached: nil) == true) }
        #expect(next(at: 100) == "start 8")
    }

    /// A host that does not answer is called by one effect at a time; when it answers, more than that place is free.
    @Test mutating func aHostThatAnswersAgainHasItsPlacesBack() {
        let effect = Self.effect(due: 100)
        adopt(Self.batch(new: [effect], at: 100), at: 100)
        for (isReached, opens) in [(true, false), (false, false), (true, true), (true, false)] {
            _ = plan.next(at: Timestamp(rawValue: 100), settings: { _ in (places: 4, rate: nil) })
            find(effect)
            #expect(next(at: 100) == "start 1")
            plan.expectMore(of: Self.queue)
            #expect(plan.ended(effect.id, of: Self.queue, isReached: isReached) == opens)
        }
    }

    /// The end of the only effect of a queue leaves two places: its own, and one before the last quarter.
    @Test mutating func theEndOfTheOnlyOneMayLeaveTwoPlaces() {
        plan = EffectPlan(places: 4, bytes: 1 << 20, begun: 128)
        var stored: [String: [Int64]] = ["http:a:80": [1, 2, 3], "http:b:80": [5]]
        for queue in ["http:a:80", "http:b:80"] { plan.expectMore(of: queue) }
        #expect(started(&stored) == [1, 2, 5])
        stored["http:b:80"] = [6]
        plan.expectMore(of: "http:b:80")
        #expect(started(&stored) == [])
        let leavesTwo = plan.ended(Position(rawValue: 5), of: "http:b:80", isReached: true)
        #expect(leavesTwo)
        #expect(started(&stored) == [3, 6])
    }

    /// Returns the effects that start, if all searches succeed.
    private mutating func started(_ stored: inout [String: [Int64]]) -> [Int64] {
        var started: [Int64] = []
        while let step = step() {
            switch step {
            case .start(let found): started.append(found.effect.id.rawValue)
            case .find(let queue, _, _):
                let ids = stored.removeValue(forKey: queue) ?? []
                let effects = ids.map { Self.found(Self.effect(due: 100, id: $0, queue: queue)) }
                plan.found(effects, of: queue, hasMore: false, next: nil)
            }
        }
        return started.sorted()
    }

    private mutating func step() -> EffectPlan.Step? {
        plan.next(at: Timestamp(rawValue: 100)) { _ in (places: 16, rate: nil) }
    }

    /// After a clock was set back, new effects are ready, and those that are due later are not.
    @Test mutating func whatIsReadyIsMeasuredByTheLastTime() {
        adopt(Self.batch(new: [Self.effect(due: 100)], at: 100), at: 50)
        #expect(next(at: 50) == "find all but 0")
        find()
        adopt(Self.batch(changed: [Self.effect(due: 110, attempts: 1)], at: 100), at: 50)
        #expect(next(at: 109) == "nothing")
        #expect(next(at: 110) == "find all but 0")
    }
}
