import Foundation

/// Returns every so many of a test's cases, from a random one on, so that some runs after each other try all.
///
/// `CASE_STRIDE=1` takes all cases; `CASE_SEED` takes the same ones again.
package func sample<Case>(_ cases: [Case], every stride: Int) -> [Case] {
    let stride = ProcessInfo.processInfo.environment["CASE_STRIDE"].flatMap { Int($0) } ?? stride
    return Swift.stride(from: seed % stride, to: cases.count, by: stride).map { cases[$0] }
}

private let seed: Int = {
    let given = ProcessInfo.processInfo.environment["CASE_SEED"].flatMap { Int($0) }
    let seed = given ?? Int.random(in: 0..<1_000_000)
    print("sampled cases: CASE_SEED=\(seed)")
    return seed
}()
