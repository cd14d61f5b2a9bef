import ArgumentParser

/// The settings that flags of one group set.
package protocol SettingGroup: Sendable {
    static var settings: [Setting] { get }
}

/// The flags of the daemon itself.
package enum DaemonGroup: SettingGroup {
    package static let settings = Setting.daemon
}

/// The flags that permit effects.
package enum EffectGroup: SettingGroup {
    package static let settings = Setting.effects
}

/// The flags of a group, which the table makes: the parser finds the properties of a type by its mirror, and this one
/// has a property for each setting.
package struct SettingFlags<Group: SettingGroup>: ParsableArguments, CustomReflectable {
    /// The texts of the given flags, by the keys of their settings.
    package private(set) var texts: [String: [String]] = [:]

    package init() {}

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for setting in Group.settings {
            let key = Key(stringValue: setting.key)
            switch setting.form {
            case .truth: if try container.decode(Bool.self, forKey: key) { texts[setting.key] = ["true"] }
            case .text: texts[setting.key] = try container.decodeIfPresent(String.self, forKey: key).map { [$0] }
            case .texts:
                let given = try container.decode([String].self, forKey: key)
                if !given.isEmpty { texts[setting.key] = given }
            case .structure: break
            }
        }
    }

    package var customMirror: Mirror {
        Mirror(
            self,
            children: Group.settings.compactMap { setting in Self.property(setting).map { (setting.key, $0) } })
    }

    /// Returns the declaration of a flag for the parser.
    private static func property(_ setting: Setting) -> Any? {
        guard let name = setting.flag.map({ NameSpecification.customLong(String($0.dropFirst(2))) }) else { return nil }
        let read: @Sendable (String) throws -> String = { text in
            try setting.check(text)
            return text
        }
        let standard = setting.form == .truth ? "" : setting.standard.map { " (default: \($0))" } ?? ""
        switch setting.form {
        case .truth: return Flag(wrappedValue: false, name: name, help: ArgumentHelp(setting.help))
        case .text(let word):
            let help = ArgumentHelp(setting.help + standard, valueName: word)
            return Option<String?>(wrappedValue: nil, name: name, help: help, transform: read)
        case .texts(let word):
            let help = ArgumentHelp(setting.help + standard, valueName: word)
            return Option<[String]>(wrappedValue: [], name: name, help: help, transform: read)
        case .structure: return nil
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension Setting {
    /// Throws the first mistake of one text, in the parser's form.
    fileprivate func check(_ text: String) throws {
        var settings = Settings()
        var message: String?
        take(.texts([.init(text: text)]), &settings) { found, _ in message = message ?? found }
        if let message { throw ValidationError(message) }
    }
}
