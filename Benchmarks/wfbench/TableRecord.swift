import EngineFloor
import Foundation

/// The table for programs, with every round.
struct TableRecord: Codable {
    /// A figure in the table.
    struct Line: Codable {
        let id: String
        let title: String
        let unit: String
        let goal: String
        let ours: [Double]
        let floor: [Double]
        let median: Double
        let floorMedian: Double?
        let ratio: Double?
        let reached: Bool?
        let note: String?
    }

    let surroundings: Surroundings
    var figures: [Line] = []

    init(surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    mutating func add(_ measurement: Measurement) {
        let figure = measurement.figure
        figures.append(
            Line(
                id: figure.id, title: figure.title, unit: figure.unit.rawValue, goal: figure.goalText,
                ours: measurement.ours.map(\.value), floor: measurement.floors.map(\.value),
                median: measurement.value, floorMedian: measurement.floor, ratio: measurement.ratio,
                reached: measurement.isReached, note: measurement.note))
    }

    func bytes() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}
