import Statechart
import WorkflowSpelling

/// The sources of settings: a flag comes before a variable, a variable before the file, and the file before the
/// default.
package struct SettingSources: Sendable {
    /// Variables that are not settings, but that wfd reads, or sets for programs that it runs.
    static let otherVariables = [fileVariable, "WFD_BOOT_ID", "WFD_INSTANCE", "WFD_KEY", "WFD_ATTEMPT"]
    /// The variable that names the file.
    package static let fileVariable = "WFD_CONFIG"

    /// The texts of the given flags, by the keys of their settings.
    private let flags: [String: [String]]
    private let environment: [String: String]
    /// The path of the file; `nil` for none.
    package let file: String?
    private let mayFileBeMissing: Bool
    private let table: [Setting]

    /// - Parameters:
    ///   - flags: The texts of the given flags, by the keys of their settings.
    ///   - file: The path of the file that a flag names.
    package init(
        flags: [String: [String]] = [:], file: String? = nil, environment: [String: String],
        table: [Setting] = Setting.all
    ) {
        self.flags = flags
        self.environment = environment
        self.table = table
        let named = file ?? environment[Self.fileVariable].flatMap { $0.isEmpty ? nil : $0 }
        self.file = named ?? DefaultPlaces(environment: environment).settingFile
        mayFileBeMissing = named == nil
    }

    /// Creates the sources for checking a file alone.
    package init(checking file: String, table: [Setting] = Setting.all) {
        self.init(file: file, environment: [:], table: table)
    }

    /// Reads the file and all values. Throws all mistakes, also those in values that another source overrides.
    package func resolve() throws(SettingError) -> ResolvedSettings {
        var error = SettingError()
        var resolved = ResolvedSettings(file: file, places: DefaultPlaces(environment: environment), table: table)
        let read = file.map { SettingFile($0, mayBeMissing: mayFileBeMissing, table: table) }
        for mistake in read?.mistakes ?? [] { error.add(mistake) }
        for mistake in unknownVariables { error.add(mistake) }
        for setting in table {
            if let entry = read?.entries[setting.key], let file {
                let origin = SettingOrigin.file(line: entry.place.line)
                resolved.take(entry.value, of: setting, from: origin) { message, place in
                    error.add(SettingMistake(message, at: .file(file, place ?? entry.place)))
                }
            }
            if let name = setting.variable, let text = environment[name], !text.isEmpty {
                resolved.take(Self.value(ofVariable: text, setting), of: setting, from: .environment) { message, _ in
                    error.add(SettingMistake(message, at: .named(name)))
                }
            }
            if let name = setting.flag, let texts = flags[setting.key] {
                let value = SettingValue.texts(texts.map { .init(text: $0) })
                resolved.take(value, of: setting, from: .flag) { message, _ in
                    error.add(SettingMistake(message, at: .named(name)))
                }
            }
        }
        // A condition on values that were not read would be a consequence of their mistakes.
        if error.mistakes.isEmpty { check(resolved, read, &error) }
        guard error.mistakes.isEmpty else {
            error.sort()
            throw error
        }
        return resolved
    }

    private func check(_ resolved: ResolvedSettings, _ read: SettingFile?, _ error: inout SettingError) {
        for (key, check) in Setting.conditions {
            do {
                try check(resolved.settings)
            } catch let mistake {
                let setting = table.first { $0.key == key }
                let place: SettingMistake.Place =
                    switch resolved.origin(of: key) {
                    case .flag: .named(setting?.flag ?? key)
                    case .environment: .named(setting?.variable ?? key)
                    case .file: read?.entries[key].flatMap { entry in file.map { .file($0, entry.place) } } ?? .value
                    case .standard: .value
                    }
                error.add(SettingMistake("\(mistake)", at: place))
            }
        }
    }

    /// Returns the value of a variable; commas separate several texts.
    private static func value(ofVariable text: String, _ setting: Setting) -> SettingValue {
        guard case .texts = setting.form else { return .texts([.init(text: text)]) }
        let parts = text.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        return .texts(parts.map { .init(text: $0) })
    }

    private var unknownVariables: [SettingMistake] {
        let known = table.compactMap(\.variable) + Self.otherVariables
        let unknown = environment.keys.filter { $0.hasPrefix("WFD_") && !known.contains($0) }
        return unknown.sorted().map { name in
            let closest = Spelling.closest(to: name, among: known)
            let hint = closest.map { "did you mean '\($0)'?" } ?? "'wfd config' lists the settings"
            return SettingMistake("there is no such setting; \(hint)", at: .named(name))
        }
    }
}
