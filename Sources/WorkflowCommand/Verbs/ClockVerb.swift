import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowClient

/// `wfctl clock`.
struct ClockVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Show the daemon's clock, or move one that is virtual.",
        discussion: """
            $ wfctl clock advance 30d

            'wfctl clock' tells the time. 'wfctl clock advance 30d' moves the clock of 'wfd --clock virtual'; every timer \
            on the way fires at its own time.
            """,
        subcommands: [])

    @Argument(help: ArgumentHelp("What to do.", valueName: "advance"))
    var action: Action?

    @Argument(help: ArgumentHelp("How far: \(DelayText.rule).", valueName: "delay"))
    var distance: String?

    @OptionGroup var global: GlobalOptions

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case advance
    }

    /// A minus would make an option of the distance.
    static func refuseNegative(in arguments: [String]) throws {
        guard arguments.first == configuration.commandName,
            let distance = arguments.first(where: { $0.hasPrefix("-") && DelayText.isDelay(String($0.dropFirst())) })
        else { return }
        throw CommandFailure(.usage, "A clock goes forward only: '\(distance)' is negative")
    }

    func validate() throws {
        guard action != nil else { return }
        guard let distance else { throw ValidationError("'advance' needs to know how far: \(DelayText.rule)") }
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
        let status = try await session.withClient { client in
            // A time instead of a distance: asking again after a lost answer goes no further.
            let begin = try await client.clock()
            let target = WireTime(milliseconds: begin.now.milliseconds + milliseconds)
            var fired: Int64 = 0
            while true {
                var status = try await client.untilKnown { () async throws(ClientError) in
                    try await client.moveClock(to: target)
                }
                fired += status.fired ?? 0
                status.fired = fired
                if status.done != false { return status }
                try session.say("\(status.now.text): \(fired) timers fired so far")
            }
        }
        try session.print(status) {
            let fired = status.fired ?? 0
            return "\(status.now.text)   (\(fired == 1 ? "1 timer" : "\(fired) timers") fired)\n"
        }
    }
}
