import Statechart

/// The source of a value.
package enum SettingOrigin: Sendable, Equatable {
    case flag, environment, standard
    case file(line: Int)

    /// The source for people.
    package var shown: String {
        switch self {
        case .flag: "flag"
        case .environment: "environment"
        case .file(let line): "file, line \(line)"
        case .standard: "default"
        }
    }
}

/// The settings with the source of each.
package struct ResolvedSettings: Sendable {
    package private(set) var settings = Settings()
    /// The path of the file; `nil` for none.
    package let file: String?
    private let places: DefaultPlaces
    private let table: [Setting]
    private var given: [String: (value: SettingValue, origin: SettingOrigin)] = [:]

    init(file: String?, places: DefaultPlaces, table: [Setting]) {
        self.file = file
        self.places = places
        self.table = table
    }

    /// Takes a value, which replaces the value of a source that comes after.
    mutating func take(
        _ value: SettingValue, of setting: Setting, from origin: SettingOrigin, report: Setting.Report
    ) {
        given[setting.key] = (value, origin)
        setting.take(value, &settings, report)
    }

    /// Returns the source of a setting's value.
    package func origin(of key: String) -> SettingOrigin { given[key]?.origin ?? .standard }

    /// Returns the value of a setting for people; `nil` if it has none.
    package func shown(_ setting: Setting) -> String? {
        given[setting.key]?.value.shown ?? setting.found(places, settings)
            ?? setting.standard.flatMap {
                // A default of the surroundings that they do not have.
                $0.hasPrefix("$") ? nil : $0
            }
    }

    /// Returns the keys of the settings whose values differ, in the order of the table.
    package func changes(since other: ResolvedSettings) -> [Setting] {
        table.filter { shown($0) != other.shown($0) }
    }

    /// A line for each setting: its key, its value and the value's source.
    package var lines: [String] {
        let rows = [("SETTING", "VALUE", "SOURCE")] + table.map { ($0.key, shown($0) ?? "-", origin(of: $0.key).shown) }
        let keys = rows.map(\.0.count).max() ?? 0
        // A long list does not move the sources of all others.
        let values = min(rows.map(\.1.count).max() ?? 0, 40)
        return rows.map { key, value, origin in
            Self.filled(key, keys) + "  " + Self.filled(value, values) + "  " + origin
        }
    }

    private static func filled(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
