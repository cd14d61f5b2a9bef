import DaemonTesting
import Testing
import WorkflowEngine

/// Tests percentiles of durations that are counted in ranges.
struct DurationSketchTests {
    @Test func noPercentileIsFartherOffThanPromised() {
        var random = SeededRandom(seed: 1)
        for bits in [4, 10, 20, 31, 42] {
            var sketch = DurationSketch()
            var exact: [Int64] = []
            for _ in 0..<2_000 {
                let length = Int64.random(
                    in: 0..<1 << Int64.random(in: 0...Int64(bits), using: &random), using: &random)
                sketch.add(milliseconds: length)
                exact.append(length)
            }
            exact.sort()
            #expect(sketch.count == 2_000)
            for percent in Int64(1)...100 {
                let length = exact[(exact.count * Int(percent) + 99) / 100 - 1]
                let told = sketch.milliseconds(ofPercent: percent) ?? -1
                #expect(abs(told - length) * 32 <= length, "\(percent) % of \(bits) bits: \(told), not \(length)")
            }
        }
    }

    @Test func theEndsOfTheRangeAreTaken() {
        var sketch = DurationSketch()
        #expect(sketch.milliseconds(ofPercent: 50) == nil)
        sketch.add(milliseconds: -5)
        #expect(sketch.milliseconds(ofPercent: 50) == 0)
        sketch.add(milliseconds: .max)
        #expect(sketch.milliseconds(ofPercent: 100) ?? 0 > 4_000_000_000_000)
        #expect(sketch.count == 2 && DurationSketch.bytes < 2_600)
    }
}
