package import Foundation

/// Ours and its floor, ready to be measured in turn.
package protocol Contest {
    /// Measures ours once.
    mutating func ours() async throws -> Sample
    /// Measures the floor once; nil for a figure that has none.
    mutating func floor() async throws -> Sample?
    /// Stops and removes what was made for it.
    mutating func end() async throws
}

/// Where and how long a contest is measured.
package struct Setting: Sendable {
    /// An empty folder of the contest's own, on the disk that is measured.
    package let folder: URL
    /// Whether the run is a quick one: as small as still means something.
    package let isQuick: Bool
    /// About how long one measurement takes.
    package let seconds: Double

    /// As a run is asked for.
    package init(folder: URL, isQuick: Bool, seconds: Double) {
        self.folder = folder
        self.isQuick = isQuick
        self.seconds = seconds
    }
}
