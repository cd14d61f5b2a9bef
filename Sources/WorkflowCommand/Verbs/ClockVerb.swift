import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl clock`.
struct ClockVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Show the daemon's clock, or advance a virtual one.",
        discussion: """
            $ wfctl clock advance 30d

            'wfctl clock' prints the time. 'wfctl clock advance 30d' moves the clock of 'wfd --clock virtual'. Each \
            timer on the way fires at its own time, and wfd waits for the calls that it makes itself.

            If a task is ready or leased, the clock stops there and the exit code is 75. Let workers end the task, \
            then advance by the rest.
            """,
        subcommands: [])

    @Argument(help: ArgumentHelp("The action. (default: print the time)", valueName: "advance"))
    var action: Action?

    @Argument(help: ArgumentHelp("The time to advance by, \(DelayText.rule).", valueName: "delay"))
    var distance: String?

    @Flag(help: "Advance although a task is ready or leased.")
    var noTasks = false

    @OptionGroup var global: GlobalOptions

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case advance
    }

    /// Refuses a distance with a minus, which the parser would take for an option.
    static func refuseNegative(in arguments: [String]) throws {
        guard arguments.first == configuration.commandName,
            let distance = arguments.first(where: { $0.hasPrefix("-") && DelayText.isDelay(String($0.dropFirst())) })
        else { return }
        throw CommandFailure(.usage, "A clock only moves forward: '\(distance)' is negative")
    }

    func validate() throws {
        guard action != nil else {
            if noTasks { throw ValidationError("'--no-tasks' goes with 'advance'") }
            return
        }
        guard let distance else { throw ValidationError("'advance' needs a delay, \(DelayText.rule)") }
        do throws(DelayError) {
            _ = try DelayText.length(of: distance)
        } catch {
            throw ValidationError(error.message)
        }
    }

    func run(in session: Session) async throws {
        guard let milliseconds = try distance.map(DelayText.length) else {
            let status = try await session.withClient { try await $0.clock() }
            return try session.print(status) { "\(status.now.text)   (\(status.clock.rawValue))\n" }
        }
        let (status, target) = try await session.withClient { client in
            // The request has a time, not a distance: a repetition after a lost answer goes no further.
            let begin = try await client.clock()
            let target = WireTime(milliseconds: begin.now.milliseconds + milliseconds)
            var fired: Int64 = 0
            while true {
                var status = try await client.untilKnown { () async throws(ClientError) in
                    try await client.moveClock(to: target, stoppingAtTasks: !noTasks)
                }
                fired += status.fired ?? 0
                status.fired = fired
                if status.done != false || status.tasks != nil { return (status, target) }
                try session.say("\(status.now.text): \(fired) timers fired so far")
            }
        }
        try session.print(status) {
            let fired = status.fired ?? 0
            return "\(status.now.text)   (\(fired == 1 ? "1 timer" : "\(fired) timers") fired)\n"
        }
        if let queues = status.tasks { throw Self.stopped(at: queues, status.now, target) }
    }

    /// Returns the failure of a move that stopped because workers have tasks.
    private static func stopped(at queues: [String], _ now: WireTime, _ target: WireTime) -> CommandFailure {
        let rest = DelayText.text(milliseconds: target.milliseconds - now.milliseconds)
        let names = queues.map { "'\($0)'" }.joined(separator: ", ")
        return CommandFailure(
            .tryAgain, "The clock stopped \(rest) before its goal: a task is ready or leased in \(names)",
            notes: [
                "let workers end it, then 'wfctl clock advance \(rest)'",
                "'wfctl clock advance \(rest) --no-tasks' goes on without them",
            ])
    }
}
