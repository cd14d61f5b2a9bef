import PostgresStore
import Testing
import WorkflowStore

/// Tests from which looks a daemon takes the store.
struct OwnerJudgementTests {
    private static let own = id(1)
    private static let other = id(2)
    private static let begin = ContinuousClock.now

    private static func id(_ number: UInt8) -> UniqueID { UniqueID(bytes: Array(repeating: number, count: 16)) }

    private static func row(_ id: UniqueID, lease: Duration = .seconds(5), _ isConnected: Bool? = true) -> DaemonRow {
        DaemonRow(id: id, peer: nil, lease: lease, isConnected: isConnected)
    }

    private func verdict(_ rows: [DaemonRow], owners: [UniqueID?]) -> OwnerJudgement.Verdict {
        var judgement = OwnerJudgement(of: Self.own)
        return judgement.judge(StoreLook(daemons: rows, owners: owners), at: Self.begin)
    }

    @Test func theLogSaysWhoOwns() {
        let (mine, its) = (Self.row(Self.own), Self.row(Self.other))
        #expect(verdict([mine, its], owners: [Self.own, Self.own]) == .own)
        #expect(verdict([mine, its], owners: [Self.other, Self.other]) == .other(its))
        // It is giving them away one by one, or taking them.
        #expect(verdict([mine, its], owners: [Self.own, Self.other]) == .other(its))
    }

    @Test func whatNobodyOwnsIsTaken() {
        #expect(verdict([Self.row(Self.own)], owners: [nil]) == .take)
        #expect(verdict([Self.row(Self.own)], owners: [Self.own, nil]) == .take)
        // The owner's row was removed long after its lease.
        #expect(verdict([Self.row(Self.own)], owners: [Self.other]) == .take)
    }

    @Test(arguments: [true, false, nil] as [Bool?]) func aLeaseThatIsOverEndsOwnership(isConnected: Bool?) {
        let rows = [Self.row(Self.own), Self.row(Self.other, lease: .zero, isConnected)]
        #expect(verdict(rows, owners: [Self.other]) == .take)
    }

    /// After an outage of the server no lease is left, and the owner may be about to renew its own.
    @Test func afterAnOutageTheOwnerHasTimeToComeBack() {
        let row = Self.row(Self.other, lease: .seconds(-20), nil)
        var judgement = OwnerJudgement(of: Self.own)
        let early = StoreLook(daemons: [row], owners: [Self.other], isAfterOutage: true)
        #expect(judgement.judge(early, at: Self.begin) == .other(row))
        let late = StoreLook(daemons: [row], owners: [Self.other])
        #expect(judgement.judge(late, at: Self.begin + .seconds(6)) == .take)
        // A partition without an owner needs no time.
        #expect(verdict([], owners: [nil]) == .take)
    }

    @Test func aLostConnectionIsLookedAtTwice() {
        let row = Self.row(Self.other, false)
        let look = StoreLook(daemons: [Self.row(Self.own), row], owners: [Self.other])
        var judgement = OwnerJudgement(of: Self.own)
        #expect(judgement.judge(look, at: Self.begin) == .suspect(row))
        #expect(judgement.judge(look, at: Self.begin + .milliseconds(499)) == .suspect(row))
        #expect(judgement.judge(look, at: Self.begin + .milliseconds(500)) == .take)
    }

    @Test func aConnectionThatIsBackCounts() {
        let (gone, back) = (Self.row(Self.other, false), Self.row(Self.other, true))
        func look(_ row: DaemonRow) -> StoreLook { StoreLook(daemons: [row], owners: [Self.other]) }
        var judgement = OwnerJudgement(of: Self.own)
        #expect(judgement.judge(look(gone), at: Self.begin) == .suspect(gone))
        #expect(judgement.judge(look(back), at: Self.begin + .milliseconds(300)) == .other(back))
        #expect(judgement.judge(look(gone), at: Self.begin + .milliseconds(600)) == .suspect(gone))
        #expect(judgement.judge(look(gone), at: Self.begin + .milliseconds(900)) == .suspect(gone))
        #expect(judgement.judge(look(gone), at: Self.begin + .milliseconds(1_100)) == .take)
    }

    @Test func anotherOwnerIsLookedAtAnew() {
        let third = Self.id(3)
        let (gone, new) = (Self.row(Self.other, false), Self.row(third, false))
        var judgement = OwnerJudgement(of: Self.own)
        #expect(judgement.judge(StoreLook(daemons: [gone], owners: [Self.other]), at: Self.begin) == .suspect(gone))
        let later = Self.begin + .seconds(1)
        #expect(judgement.judge(StoreLook(daemons: [gone, new], owners: [third]), at: later) == .suspect(new))
    }

    /// A server that was started or promoted since knows no connection of before.
    @Test func anotherStartOfTheServerSaysNothingAboutConnections() {
        let row = Self.row(Self.other, nil)
        let look = StoreLook(daemons: [row], owners: [Self.other])
        var judgement = OwnerJudgement(of: Self.own)
        for second in 0..<5 {
            #expect(judgement.judge(look, at: Self.begin + .seconds(second)) == .other(row))
        }
    }
}
