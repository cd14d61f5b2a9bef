import IdentityTesting
import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The events in the lives of instances of one machine, step by step, each at its time. There are chains of events that
/// the instances send to themselves, timers that are on time, late, skipped and cancelled, failures, operators'
/// actions, and keys. Two instances migrate to another version and one comes back; a third is deleted, and two others
/// get its name; the last one is too old.
struct Scenario {
    /// An action of a caller.
    enum Action {
        case apply(String)
        case start(String)
        case send(String, String, JSONValue? = nil)
        case repair(String, RepairCommand.Verb)
        case reset(String, Int64)
        case migrate(String, MigrationPlan)
        /// An undo of the last migration.
        case undo(String)
        case delete(String)
        /// A purge of the instances that finished a number of milliseconds ago.
        case purge(Int64)
        /// A redaction of the instance's rows, and of these paths of its context.
        case redact(String, [String])
        /// A wait for the items that are due by now.
        case wait
    }

    /// An action at a time.
    struct Step {
        let action: Action
        /// The milliseconds since the beginning.
        let time: Int64
        /// The key of a start or an event; every other one has one.
        let key: RequestKey?
    }

    static let begin: Int64 = 1_700_000_000_000

    static let definition = """
        id: press
        initial: idle
        context: {n: 0, left: 0, seen: [], text: '', divisor: 0}
        on:
          note: {actions: {assign: {seen: "context.seen + [event.at]"}}}
          write: {actions: {assign: {text: event.data}}}
          later: {actions: [{send: {event: note, delay: 10s, id: reminder}}, {send: {event: note, delay: 20s}}]}
          never: {actions: {cancel: reminder}}
          run: {actions: [{assign: {left: event.data}}, {send: next}]}
          next: [{guard: context.left > 0, actions: [{assign: {left: context.left - 1}}, {send: next}]}, {}]
          break: {actions: [{send: bad}, {send: note}]}
          bad: {actions: {assign: {divisor: "event.at > instance.startedAt + duration('300s') ? 1 : 1 / 0"}}}
          finish: .end
        states:
          idle:
            on:
              work: {target: busy, actions: [{send: step}, {send: {event: report, data: {n: context.n}}}]}
            after: {1m: {target: busy, actions: {send: note}}}
          busy:
            on:
              step: {actions: {assign: {n: context.n + 1}}}
              report: idle
            after: {5s: {target: idle, misfire: {skip: 30s}}, 40s: idle}
          end: {type: final, output: {n: context.n}}
        """

    /// A second version: another name for a state, and a timer and a key that the instances do not have yet.
    static let second =
        definition
        .replacing("busy", with: "working").replacing("40s: idle", with: "40s: idle, 50s: idle")
        .replacing("divisor: 0}", with: "divisor: 0, who: nobody}")
    private static let plan = MigrationPlan(map: ["busy": "working"])

    static let instances = ["a", "b", "c"]

    private static let actions: [(Int64, Action)] = [
        (0, .apply(definition)), (0, .start("a")), (1_000, .start("b")), (2_000, .send("a", "work")),
        (2_500, .send("b", "later")),
        (3_000, .send("a", "nothing")), (14_000, .wait), (15_000, .send("b", "never")), (16_000, .send("a", "later")),
        (23_000, .wait), (63_000, .wait), (64_000, .send("a", "write", .string(String(repeating: "x", count: 9_000)))),
        // Both are in their busy state, whose first timer is skipped now.
        (200_000, .wait), (201_000, .send("b", "break")), (202_000, .send("b", "note")),
        (203_000, .repair("b", .retry)),
        (204_000, .repair("b", .set(ContextChange(set: ["text": "mended"], unset: [])))),
        (205_000, .send("a", "break")), (206_000, .repair("a", .skip)), (207_000, .repair("a", .suspend)),
        (208_000, .send("a", "note")), (209_000, .repair("a", .suspend)),
        (290_000, .wait), (300_000, .repair("a", .resume)), (310_000, .repair("b", .retry)),
        (311_000, .send("a", "run", 120)), (312_000, .send("a", "work")),
        (313_000, .send("b", "run", 130)), (320_000, .wait), (400_000, .wait), (401_000, .send("b", "finish")),
        (500_000, .wait), (501_000, .send("b", "note")), (502_000, .repair("a", .cancel(runsActions: true))),
        // From their ends; what is left at the end names positions, which differ from file to file.
        (503_000, .reset("a", 12)), (505_000, .reset("b", 9)), (506_000, .start("c")), (507_000, .send("c", "later")),
        (508_000, .send("c", "write", "x")), (510_000, .apply(second)), (511_000, .migrate("a", plan)),
        (512_000, .migrate("b", plan)), (513_000, .undo("b")), (514_000, .migrate("b", plan)), (515_000, .undo("b")),
        (516_000, .delete("c")), (517_000, .start("c")), (518_000, .send("c", "later")), (519_000, .delete("c")),
        (520_000, .start("c")), (521_000, .send("c", "write", "y")), (522_000, .send("c", "finish")),
        (540_000, .purge(10_000)), (580_000, .wait),
        (581_000, .repair("a", .cancel(runsActions: true))), (582_000, .repair("b", .cancel(runsActions: true))),
        // One of these redactions has a key, and one has none.
        (591_000, .redact("a", [])), (593_000, .redact("b", [])),
    ]

    static let steps = actions.enumerated().map { number, step in
        Step(
            action: step.1, time: step.0,
            key: number % 2 == 0 ? RequestKey(text: "step-\(number)") : nil)
    }
}

/// The answer to a step, for comparing.
struct Told: Equatable, CustomStringConvertible {
    /// The kind of rejection; `nil` for success.
    var rejection: String?
    /// The seqs before and after the step; 0 and 1 for a start.
    var seqs: [Int64] = []
    /// The paths of the leaves after the step.
    var to: [String] = []

    var description: String { rejection ?? "seqs \(seqs) to \(to)" }
}

extension Engine {
    /// Carries out a step once.
    func take(_ step: Scenario.Step) async throws(Rejection) -> Told {
        switch step.action {
        case .apply(let definition): _ = try await apply(definition, syntax: .yaml)
        case .start(let name):
            _ = try await start(StartCommand(machine: "press", instance: name, key: step.key))
            return Told(seqs: [0, 1])
        case .send(let name, let event, let data):
            return Told(
                try await send(SendCommand(instance: name, event: Event(name: event, data: data), key: step.key)))
        case .repair(let name, let verb):
            return Told(try await repair(RepairCommand(instance: name, verb, reason: "r", key: step.key)))
        case .reset(let name, let seq):
            return Told(
                try await reset(
                    ResetCommand(
                        instance: InstanceName(rawValue: name), to: .seq(Seq(rawValue: seq)), reason: "r",
                        key: step.key, by: .test)))
        case .migrate(let name, let plan):
            return Told(
                try await migrate(
                    MigrateCommand(
                        instance: InstanceName(rawValue: name), to: 2, plan, reason: "r", key: step.key, by: .test)))
        case .undo(let name):
            return Told(
                try await reset(
                    ResetCommand(
                        instance: InstanceName(rawValue: name), to: .beforeLast, reason: "r", key: step.key,
                        by: .test)))
        case .delete(let name):
            let answer = try await delete(
                DeleteCommand(
                    instance: InstanceName(rawValue: name), takesUnfinished: true, reason: "r", key: step.key, by: .test
                ))
            return Told(seqs: [0, answer.rows])
        case .purge(let age):
            // The purge may be given once more, when nothing is left to delete.
            let answer = try await purge(PurgeRequest(age: age, reason: "r", by: .test))
            guard answer.isDone else { throw .draining }
        case .redact(let name, let paths):
            let answer = try await redact(
                RedactCommand(
                    instance: InstanceName(rawValue: name), paths: paths, reason: "r", key: step.key, by: .test))
            return Told(seqs: [answer.seq.rawValue - 1, answer.seq.rawValue], to: answer.configuration)
        case .wait: try await takeWhatIsDue()
        }
        return Told()
    }

    /// Waits for the due items, because they come before any command to their instance, including a refused one.
    private func takeWhatIsDue() async throws(Rejection) {
        for name in Scenario.instances {
            do throws(Rejection) {
                _ = try await send(SendCommand(instance: name, event: Event(name: "nothing", data: nil)))
            } catch {
                guard error.facts != nil || error.code == .instanceNotFound else { throw error }
            }
        }
    }
}

extension Told {
    fileprivate init(_ sent: SendResult) {
        self.init(seqs: [sent.fromSeq.rawValue, sent.seq.rawValue], to: sent.to)
    }
}
