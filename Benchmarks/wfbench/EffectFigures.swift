import EngineFloor
import Foundation
import WorkflowJSON

/// The figures of effects that the daemon carries out itself: requests of a real `wfd` process to a server on this
/// machine.
enum EffectFigures {
    static let figures: [Figure] = [
        Figure(
            id: "effects.http", title: "effects over HTTP, \(places) places / the same client without an engine",
            unit: .perSecond, goal: .ratioAndValueAtLeast(0.5, 2_000), isQuick: true,
            begin: { setting in try await CallContest(setting) }),
        Figure(
            id: "effects.start",
            title: "p99 from the journal's time to the arrival at the server, \(Int(startRate)) effects/s / without an "
                + "engine",
            unit: .milliseconds, goal: .atMost(20), isQuick: true,
            begin: { setting in try await StartContest(setting) }),
    ]

    /// The number of requests to the server at once.
    static let places = 64
    /// The number of effects that `effects.start` begins a second.
    static let startRate = 1_000.0
}

/// Instances that call a server, take its answer and call it again, beside the client that makes the daemon's requests.
struct CallContest: Contest {
    private static let instances = 1_000

    private let service: CalledService
    private let daemon: ServerProcess
    private let direct: DirectCalls
    private let request: JSONObject
    private let seconds: Double

    init(_ setting: Setting) async throws {
        seconds = setting.seconds
        service = try await CalledService(in: setting.folder)
        daemon = try await .daemon(in: setting.folder, more: ["--allow-http", "127.0.0.1/32"])
        direct = try DirectCalls()
        let url = "http://\(service.quick)/charges"
        request = ["body": ["amount": 250], "method": "POST", "url": .string(url)]
        let settings = #"{"concurrency":\#(EffectFigures.places),"paused":true,"new":true}"#
        try daemon.setQueue("http:\(service.quick)", settings)
        try daemon.apply(
            """
            {"id": "buyer", "initial": "paying", "context": {"amount": 250, "receipt": null}, "states": {"paying":
            {"invoke": {"http": {"url": "\(url)", "body": {"amount": "context.amount"}}, "onDone":
            {"target": "paying", "reenter": true, "actions": {"assign": {"receipt": "event.data.body.id"}}}}}}}
            """)
        try daemon.start(Self.instances, of: "buyer")
        // Neither side's first requests count.
        _ = try await measured(seconds: min(0.3, seconds))
        _ = try await direct.run(request, atOnce: EffectFigures.places, seconds: min(0.3, seconds))
    }

    func ours() async throws -> Sample { try await measured(seconds: seconds) }

    private func measured(seconds: Double) async throws -> Sample {
        let queue = "http:\(service.quick)"
        try daemon.setQueue(queue, #"{"paused":false}"#)
        let watch = Stopwatch()
        let before = (count: try service.count(), computed: try daemon.computed())
        try await Task.sleep(for: .seconds(seconds))
        let count = Double(try service.count() - before.count)
        let passed = watch.elapsed().passed
        let computed = try daemon.computed() - before.computed
        try daemon.setQueue(queue, #"{"paused":true}"#)
        _ = try await service.settled()
        return Sample(
            value: count / passed, note: "the daemon computed \((computed / max(count, 1) * 1e6).text(0)) µs an effect")
    }

    func floor() async throws -> Sample? {
        let watch = Stopwatch()
        let count = try await direct.run(request, atOnce: EffectFigures.places, seconds: seconds)
        return Sample(value: Double(count) / watch.elapsed().passed)
    }

    func end() async throws {
        await direct.end()
        try daemon.stop()
        try service.stop()
    }
}

/// Effects that begin on a fixed schedule, beside requests that the same client begins on one.
struct StartContest: Contest {
    private let service: CalledService
    private let daemon: ServerProcess
    private let starts: EffectStarts
    private let direct: DirectCalls
    private let seconds: Double

    init(_ setting: Setting) async throws {
        // The 99th percentile of less than a second says nothing.
        seconds = max(setting.seconds, 1)
        service = try await CalledService(in: setting.folder)
        daemon = try await .daemon(in: setting.folder, more: ["--allow-http", "127.0.0.1/32"])
        direct = try DirectCalls()
        try EffectStarts.prepare(daemon, service)
        starts = try EffectStarts(daemon, service)
        _ = try await starts.run(perSecond: EffectFigures.startRate, seconds: 0.5)
    }

    func ours() async throws -> Sample {
        let (delays, answers) = try await starts.run(perSecond: EffectFigures.startRate, seconds: seconds)
        return Sample(
            value: delays.milliseconds(99),
            note: "\(delays.percentilesText) of \(delays.count) effects, their sends answered in p50 "
                + "\(answers.milliseconds(50).text(3)) p99 \(answers.milliseconds(99).text(3)) ms")
    }

    func floor() async throws -> Sample? {
        _ = try service.delays()
        let place = "http://\(service.quick)/starts/"
        try await direct.run(
            { ["method": "GET", "url": .string("\(place)\($0)")] }, perSecond: EffectFigures.startRate,
            seconds: seconds)
        return Sample(value: try service.delays().milliseconds(99))
    }

    func end() async throws {
        starts.close()
        await direct.end()
        try daemon.stop()
        try service.stop()
    }
}

/// Events on a fixed schedule, each of which begins an effect, and the time until the effects arrive.
struct EffectStarts {
    /// The number of instances: so many that hardly an event meets a running effect, in which case it begins none.
    private static let instances = 2_000

    private let service: CalledService
    private let load: OpenLoad

    /// Makes instances on a daemon that may call the service.
    static func prepare(_ daemon: ServerProcess, _ service: CalledService) throws {
        try daemon.setQueue("http:\(service.quick)", #"{"concurrency":\#(EffectFigures.places),"new":true}"#)
        // The time of the event's row in the journal is that of the clock when its batch took it, before the commit.
        let time = "{int(event.at) * 1000 + event.at.getMilliseconds()}"
        try daemon.apply(
            """
            {"id": "caller", "initial": "idle", "states": {"idle": {"on": {"go": "calling"}}, "calling": {"on": {"go":
            {"actions": []}}, "invoke": {"http": {"url": "http://\(service.quick)/starts/\(time)"}, "onDone": "idle"}}}}
            """)
        try daemon.start(instances, of: "caller")
    }

    /// Connects to a daemon that has the instances.
    init(_ daemon: ServerProcess, _ service: CalledService) throws {
        self.service = service
        var book = RequestBook()
        for number in 0..<Self.instances { book.add(post: "/v1/instances/i-\(number)/events", #"{"event":"go"}"#) }
        load = try OpenLoad(socket: daemon.socket, connections: 64, book: book)
    }

    /// Begins effects at a fixed rate. Returns the times from the journal's time to their arrival, and the latencies of
    /// the events' answers.
    func run(perSecond rate: Double, seconds: Double) async throws -> (delays: Latencies, answers: Latencies) {
        _ = try service.delays()
        let answers = try load.run(perSecond: rate, seconds: seconds)
        _ = try await service.settled()
        let delays = try service.delays()
        guard Double(delays.count) > 0.9 * Double(answers.count) else {
            throw BenchmarkError("of \(answers.count) events only \(delays.count) began an effect")
        }
        return (delays, answers)
    }

    /// Closes the connections.
    func close() { load.close() }
}

extension ServerProcess {
    /// Changes settings of a queue.
    func setQueue(_ queue: String, _ settings: String) throws {
        try ask(HTTPRequestText.patch("/v1/queues/\(queue)", settings))
    }
}
