import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

struct HistoryFollowTests {
    private static func rows(_ seqs: Int64...) -> ScriptedTransport.Step {
        let items = seqs.map {
            HistoryItem(
                seq: $0, at: WireTime(milliseconds: 0), kind: "event", event: "e", from: ["a"], to: ["a"],
                cursor: "c\($0)")
        }
        return .value(Page(items: items, nextPage: nil))
    }

    private static func instance(_ status: Instance.Status, seq: Int64) -> ScriptedTransport.Step {
        let time = WireTime(milliseconds: 0)
        return .value(
            Instance(
                instance: "o", machine: "m", version: 1, status: status, configuration: ["a"], context: .init(),
                seq: seq, createdAt: time, updatedAt: time))
    }

    private static let address = Address.unix(path: "/run/test.sock")
    private static let unreachable = ScriptedTransport.Step.failure(.unreachable(address, reason: "down"))

    private func seqs(_ transport: ScriptedTransport, _ clock: NotedClock, after: Int64 = 0) async -> (
        [Int64], (any Error)?
    ) {
        let follow = WorkflowClient(transport: transport).followHistory(
            ofInstance: "o", after: after, patience: .seconds(10), clock: clock)
        var seqs: [Int64] = []
        do {
            for try await item in follow { seqs.append(item.seq) }
            return (seqs, nil)
        } catch {
            return (seqs, error)
        }
    }

    @Test func rowsAreGivenOnceAndInOrder() async {
        let clock = NotedClock()
        let transport = ScriptedTransport([
            Self.rows(3, 4), Self.rows(), Self.instance(.running, seq: 4), Self.rows(5), Self.rows(),
            Self.instance(.failed, seq: 5),
        ])
        let (seqs, _) = await seqs(transport, clock, after: 2)
        #expect(seqs == [3, 4, 5])
        let targets = transport.requests.map(\.target).filter { $0 != "/v1/instances/o" }
        #expect(
            targets
                == ["after=2", "cursor=c4", "cursor=c4", "cursor=c5", "cursor=c5"].map {
                    "/v1/instances/o/history?limit=500&\($0)&wait=60"
                })
        // A pause after each empty answer, in case the daemon does not wait.
        #expect(clock.sleeps == [.milliseconds(100), .milliseconds(100)])
    }

    /// It gets all rows, including one that came between an empty page and the look at the instance.
    @Test(arguments: [Instance.Status.done, .cancelled]) func itEndsWithTheInstance(status: Instance.Status) async {
        let transport = ScriptedTransport([
            Self.rows(1), Self.rows(), Self.instance(status, seq: 2), Self.rows(2), Self.rows(),
            Self.instance(status, seq: 2),
        ])
        let (seqs, error) = await seqs(transport, NotedClock())
        #expect(seqs == [1, 2] && error == nil)
        #expect(transport.requests.count == 6)
    }

    @Test func itGoesOnAfterARestart() async {
        let clock = NotedClock()
        let lost = ScriptedTransport.Step.failure(.answerLost(Self.address, reason: "killed"))
        let draining = ScriptedTransport.Step.problem(Problem(.draining, detail: "stopping"))
        let transport = ScriptedTransport([Self.rows(1), lost, draining, Self.unreachable, Self.rows(2)])
        let (seqs, _) = await seqs(transport, clock)
        #expect(seqs == [1, 2])
        #expect(clock.sleeps == [.milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(transport.requests.map(\.target).last == "/v1/instances/o/history?limit=500&cursor=c2&wait=60")
    }

    @Test func aRestoreEndsIt() async {
        let problem = Problem(
            .generationChanged, detail: "The cursor is of generation 1", parted: Parting(generation: 2))
        let transport = ScriptedTransport([Self.rows(1), Self.unreachable, .problem(problem)])
        let (seqs, error) = await seqs(transport, NotedClock())
        #expect(seqs == [1])
        #expect(error as? ClientError == .problem(problem))
    }

    @Test func itGivesUpWhenNobodyAnswers() async {
        let clock = NotedClock()
        let transport = ScriptedTransport([Self.rows(1)] + Array(repeating: Self.unreachable, count: 50))
        let (seqs, error) = await seqs(transport, clock)
        #expect(seqs == [1])
        #expect(error as? ClientError == .unreachable(Self.address, reason: "down"))
        #expect(clock.sleeps == [100, 200, 400, 800, 1600, 3200, 5000].map { .milliseconds($0) })
    }

    @Test func whatCannotGetBetterEndsIt() async {
        let clock = NotedClock()
        let problem = Problem(.instanceNotFound, detail: "There is no instance 'o'")
        let (seqs, error) = await seqs(ScriptedTransport([.problem(problem)]), clock)
        #expect(seqs.isEmpty && clock.sleeps.isEmpty)
        #expect(error as? ClientError == .problem(problem))
    }
}
