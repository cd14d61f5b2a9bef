package import Statechart

/// A mistake in a setting, with its place.
package struct SettingMistake: Error, Equatable, CustomStringConvertible {
    /// The place of a mistake.
    package enum Place: Sendable, Equatable {
        /// The value itself is all that is known.
        case value
        /// A flag or a variable.
        case named(String)
        case file(String, DefinitionPlace)
        /// A file that cannot be read at all.
        case wholeFile(String)
    }

    /// The problem and the remedy, without a final full stop.
    package let message: String
    package var place = Place.value

    /// - Parameter message: The reason why a value cannot be used.
    package init(_ message: String, at place: Place = .value) {
        self.message = message
        self.place = place
    }

    /// The message after its place.
    package var description: String {
        switch place {
        case .value: message
        case .named(let name): "\(name): \(message)"
        case .file(let path, let place): "\(path):\(place.line):\(place.column): \(message)"
        case .wholeFile(let path): "Cannot read '\(path)': \(message)"
        }
    }
}

/// All mistakes of the settings: first those of the file, in the order of its text.
package struct SettingError: Error, CustomStringConvertible {
    /// The most mistakes that are reported; the rest are only counted.
    package static let bound = 100

    package private(set) var mistakes: [SettingMistake] = []
    private var rest = 0

    /// True if the file cannot be read at all.
    package var isWithoutFile: Bool {
        mistakes.contains { if case .wholeFile = $0.place { true } else { false } }
    }

    /// True if a mistake is in the file.
    package var isOfFile: Bool {
        mistakes.contains { if case .file = $0.place { true } else { false } }
    }

    /// A line for each mistake, as programs print it.
    package var lines: [String] {
        let lines = mistakes.map { mistake in
            guard case .file(let path, let place) = mistake.place else { return "error: \(mistake)" }
            return "\(path):\(place.line):\(place.column): error: \(mistake.message)"
        }
        return rest == 0 ? lines : lines + ["error: and \(rest) more mistakes"]
    }

    package var description: String { lines.joined(separator: "\n") }

    /// Adds a mistake, unless there are more than are reported, or the part of the file was reported already.
    mutating func add(_ mistake: SettingMistake) {
        if case .file = mistake.place, mistakes.contains(where: { $0.place == mistake.place }) { return }
        guard mistakes.count < Self.bound else { return rest += 1 }
        mistakes.append(mistake)
    }

    /// Sorts the mistakes of the file by their places.
    mutating func sort() {
        let ofFile = mistakes.compactMap { mistake -> (DefinitionPlace, SettingMistake)? in
            if case .file(_, let place) = mistake.place { (place, mistake) } else { nil }
        }
        let others = mistakes.filter { if case .file = $0.place { false } else { true } }
        mistakes = ofFile.sorted { $0.0 < $1.0 }.map(\.1) + others
    }
}
