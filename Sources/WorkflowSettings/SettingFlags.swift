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
            case .truth:
                let isTrue = try container.decode(Bool.self, forKey: key)
                let isFalse = try container.decode(Bool.self, forKey: key.opposite)
                if isTrue || isFalse { texts[setting.key] = (isTrue ? ["true"] : []) + (isFalse ? ["false"] : []) }
            case .text: texts[setting.key] = try container.decodeIfPresent(String.self, forKey: key).map { [$0] }
            case .texts:
                let given = try container.decode([String].self, forKey: key)
                if !given.isEmpty { texts[setting.key] = given }
            case .structure: break
            }
        }
    }

    /// Refuses the two flags of one setting together.
    package func validate() throws {
        for setting in Group.settings where setting.form == .truth && texts[setting.key]?.count == 2 {
            throw ValidationError("'\(setting.flag ?? "")' contradicts '\(setting.opposite ?? "")': give one of them")
        }
    }

    package var customMirror: Mirror {
        Mirror(
            self,
            children: Group.settings.flatMap { setting -> [Mirror.Child] in
                let key = Key(stringValue: setting.key)
                let properties = [(key, Self.property(setting)), (key.opposite, Self.opposite(setting))]
                return properties.compactMap { key, property in property.map { (key.stringValue, $0) } }
            })
    }

    /// Returns the declaration of the flag that sets false, which the help of the other one names.
    private static func opposite(_ setting: Setting) -> Any? {
        setting.opposite.map { name in
            Flag(wrappedValue: false, name: .customLong(String(name.dropFirst(2))), help: .hidden)
        }
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
        case .truth:
            let help = ArgumentHelp(setting.help + " (opposite: \(setting.opposite ?? ""))")
            return Flag(wrappedValue: false, name: name, help: help)
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
        /// The key of the flag that sets false.
        var opposite: Key { Key(stringValue: stringValue + ".false") }

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
