import EngineFloor

/// Two loops on one core.
struct LoopContest: Contest {
    private let loops: Loops
    private let seconds: Double
    private let oursCount: Int
    private let floorCount: Int

    /// Determines the number of repetitions for each side.
    init(_ setting: Setting, _ loops: Loops) throws {
        self.loops = loops
        seconds = setting.seconds
        oursCount = try Self.count(loops.ours, seconds)
        floorCount = try Self.count(loops.floor, seconds)
    }

    mutating func ours() async throws -> Sample { try Self.measure(loops.ours, oursCount) }

    mutating func floor() async throws -> Sample? { try Self.measure(loops.floor, floorCount) }

    mutating func end() async throws {}

    private static func count(_ loop: (Int) throws -> Int, _ seconds: Double) throws -> Int {
        let tried = try measure(loop, 20_000).value
        return max(20_000, Int(tried * seconds))
    }

    private static func measure(_ loop: (Int) throws -> Int, _ count: Int) throws -> Sample {
        let work = Stopwatch()
        let done = try loop(count)
        let sample = Sample(events: count, work)
        guard done == count else { throw BenchmarkError("\(done) of \(count) were done") }
        return sample
    }
}
