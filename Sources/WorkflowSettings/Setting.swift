package import Statechart
import WorkflowJSON

/// An entry of the one table of settings. The table makes the flags with their help, the variables, the keys of the
/// file, `wfd config` and the page on configuration.
package struct Setting: Sendable {
    /// The form of a value.
    package enum Form: Sendable, Equatable {
        /// True or false; as a flag without a value.
        case truth
        /// One text; has the word for the text in help.
        case text(String)
        /// Any number of texts; has the word for one of them.
        case texts(String)
        /// A structure, which only the file can have.
        case structure
    }

    /// Reports a mistake in a value, with its place if the value comes from a file.
    package typealias Report = (_ message: String, _ place: DefinitionPlace?) -> Void

    /// The key in the file; a dot separates the keys of nested maps, such as `access.unix`.
    package let key: String
    package let form: Form
    /// A sentence for help and pages, with its full stop.
    package let help: String
    /// The default as users write it; `nil` if there is none.
    package let standard: String?
    /// A value for the example of a file, as YAML.
    package let example: String
    /// True if `SIGHUP` takes a new value from the file.
    package let isReloadable: Bool
    /// Returns the default that depends on the surroundings.
    let found: @Sendable (_ places: DefaultPlaces, _ settings: Settings) -> String?
    /// Stores a value in the settings, or reports all its mistakes.
    let take: @Sendable (_ value: SettingValue, _ settings: inout Settings, _ report: Report) -> Void

    /// The flag, such as `--access-unix`; `nil` for a structure.
    package var flag: String? { form == .structure ? nil : "--" + words.joined(separator: "-") }

    /// The flag that sets false, such as `--no-hold`, `--copy` and `--with-tls`; `nil` for what is not true or false.
    package var opposite: String? {
        guard form == .truth else { return nil }
        return switch words.first {
        case "no": "--" + words.dropFirst().joined(separator: "-")
        case "without": (["--with"] + words.dropFirst()).joined(separator: "-")
        default: (["--no"] + words).joined(separator: "-")
        }
    }

    /// The variable, such as `WFD_ACCESS_UNIX`; `nil` for a structure.
    package var variable: String? {
        form == .structure ? nil : (["WFD"] + words).joined(separator: "_").uppercased()
    }

    private var words: [Substring] { key.split { $0 == "." || $0 == "-" } }
}

/// A value as a source gives it, before it is read.
package enum SettingValue: Sendable {
    /// A text, and its place if it comes from a file.
    package struct Text: Sendable, Equatable {
        package let text: String
        package var place: DefinitionPlace?
    }

    case texts([Text])
    case structure(DefinitionNode)

    /// The text for people.
    package var shown: String {
        switch self {
        case .texts(let texts): texts.map { DatabaseURL.masked($0.text) }.joined(separator: ", ")
        case .structure(let node): JSONWriter.string(node)
        }
    }
}

extension Setting {
    /// Creates a setting with one text.
    package static func text<Value>(
        _ key: String, _ word: String, _ help: String, standard: String? = nil, example: String,
        isReloadable: Bool = false, in property: any WritableKeyPath<Settings, Value> & Sendable,
        found: @escaping @Sendable (DefaultPlaces, Settings) -> String? = { _, _ in nil },
        reading read: @escaping @Sendable (String) throws -> Value
    ) -> Setting {
        Setting(
            key: key, form: .text(word), help: help, standard: standard, example: example, isReloadable: isReloadable,
            found: found
        ) { value, settings, report in
            guard case .texts(let texts) = value, let text = texts.last else { return }
            do {
                settings[keyPath: property] = try read(text.text)
            } catch {
                report("\(error)", text.place)
            }
        }
    }

    /// Creates a setting with any number of texts.
    ///
    /// - Parameter identity: The part of a value that no two values may have in common; `nil` if there is none.
    package static func texts<Value>(
        _ key: String, _ word: String, _ help: String, example: String, isReloadable: Bool = false,
        in property: any WritableKeyPath<Settings, [Value]> & Sendable,
        identity: (@Sendable (Value) -> String)? = nil,
        found: @escaping @Sendable (DefaultPlaces, Settings) -> String? = { _, _ in nil },
        reading read: @escaping @Sendable (String) throws -> Value
    ) -> Setting {
        Setting(
            key: key, form: .texts(word), help: help, standard: nil, example: example, isReloadable: isReloadable,
            found: found
        ) { value, settings, report in
            guard case .texts(let texts) = value else { return }
            var values: [Value] = []
            var known: Set<String> = []
            for text in texts {
                do {
                    let value = try read(text.text)
                    if let name = identity?(value), !known.insert(name).inserted {
                        report("'\(name)' is named twice", text.place)
                    }
                    values.append(value)
                } catch {
                    report("\(error)", text.place)
                }
            }
            settings[keyPath: property] = values
        }
    }

    /// Creates a setting that is true or false; false is the default.
    static func truth(
        _ key: String, _ help: String, example: String = "true",
        in property: any WritableKeyPath<Settings, Bool> & Sendable
    ) -> Setting {
        Setting(
            key: key, form: .truth, help: help, standard: "false", example: example, isReloadable: false,
            found: { _, _ in nil }
        ) { value, settings, report in
            guard case .texts(let texts) = value, let text = texts.last else { return }
            switch text.text {
            case "true": settings[keyPath: property] = true
            case "false": settings[keyPath: property] = false
            default: report("'\(text.text)' is neither true nor false", text.place)
            }
        }
    }

    /// Creates a setting with a structure.
    ///
    /// - Parameter read: Returns the value of a node, and reports all mistakes in it.
    package static func structure<Value>(
        _ key: String, _ help: String, example: String, isReloadable: Bool = false,
        in property: any WritableKeyPath<Settings, Value> & Sendable,
        reading read: @escaping @Sendable (DefinitionNode, Report) -> Value
    ) -> Setting {
        Setting(
            key: key, form: .structure, help: help, standard: nil, example: example, isReloadable: isReloadable,
            found: { _, _ in nil }
        ) { value, settings, report in
            guard case .structure(let node) = value else { return }
            settings[keyPath: property] = read(node, report)
        }
    }
}
