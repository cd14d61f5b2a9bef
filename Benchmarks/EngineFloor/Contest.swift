package import Foundation

/// Our side and its floor, ready to be measured in turn.
package protocol Contest {
    /// Measures our side once.
    mutating func ours() async throws -> Sample
    /// Measures the floor once; `nil` for a figure without a floor.
    mutating func floor() async throws -> Sample?
    /// Stops everything and removes the files.
    mutating func end() async throws
}

/// The place and the duration of a contest.
package struct Setting: Sendable {
    /// An empty folder for the contest, on the measured disk.
    package let folder: URL
    /// True for a quick run, which is as small as still means something.
    package let isQuick: Bool
    /// The approximate seconds of one measurement.
    package let seconds: Double

    /// Creates the setting of a run.
    package init(folder: URL, isQuick: Bool, seconds: Double) {
        self.folder = folder
        self.isQuick = isQuick
        self.seconds = seconds
    }
}
