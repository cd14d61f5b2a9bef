import EngineFloor
import Foundation

/// The results of a figure's rounds.
struct Measurement {
    let figure: Figure
    private(set) var ours: [Sample] = []
    private(set) var floors: [Sample] = []

    /// Measures our side and the floor in turn.
    init(
        _ figure: Figure, _ setting: Setting, rounds: Int, progress: (_ text: String) -> Void
    ) async throws {
        self.figure = figure
        progress("\(figure.id): prepares")
        var contest = try await figure.begin(setting)
        do {
            for round in 1...rounds {
                progress("\(figure.id): round \(round) of \(rounds)")
                ours.append(try await contest.ours())
                if let floor = try await contest.floor() { floors.append(floor) }
            }
        } catch {
            // What went wrong first is told.
            try? await contest.end()
            throw error
        }
        try await contest.end()
    }

    /// The median of our side.
    var value: Double { Self.median(ours.map(\.value)) }

    /// The median of the floor; `nil` without one.
    var floor: Double? { floors.isEmpty ? nil : Self.median(floors.map(\.value)) }

    /// The median of the rounds' ratios, which is unaffected by a load that slows both sides of a round.
    var ratio: Double? {
        floors.isEmpty ? nil : Self.median(zip(ours, floors).map { $0.value / $1.value })
    }

    var oursSpread: Double { Self.spread(ours.map(\.value)) }

    var floorSpread: Double? { floors.isEmpty ? nil : Self.spread(floors.map(\.value)) }

    /// The note of the value nearest to the median.
    var note: String? {
        let median = value
        return ours.min { abs($0.value - median) < abs($1.value - median) }?.note
    }

    /// True if the goal is reached; `nil` without one.
    var isReached: Bool? {
        switch figure.goal {
        case nil: nil
        case .ratioAtLeast(let bound)?: ratio.map { $0 >= bound } ?? false
        case .ratioAtMost(let bound)?: ratio.map { $0 <= bound } ?? false
        case .atLeast(let bound)?: value >= bound
        case .ratioAndValueAtLeast(let bound, let least)?: (ratio.map { $0 >= bound } ?? false) && value >= least
        case .atMost(let bound)?: value <= bound
        }
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns the whole range, as a fraction of the median.
    private static func spread(_ values: [Double]) -> Double {
        let median = median(values)
        return median == 0 ? 0 : ((values.max() ?? 0) - (values.min() ?? 0)) / median
    }
}
