import ArgumentParser
import WorkflowAPI
import WorkflowSpelling

/// Runs one command line.
package struct CommandLineRun {
    private let environment: CommandEnvironment
    private let version: String

    /// - Parameter version: The program's version, for `--version`.
    package init(environment: CommandEnvironment, version: String) {
        self.environment = environment
        self.version = version
    }

    /// Parses the arguments (without the program's name), runs the verb, and returns the process's exit code.
    package func callAsFunction(_ arguments: [String]) async -> Int32 {
        do {
            if arguments == ["--version"] {
                try environment.output.write("wfctl \(version)\n")
                return CommandExit.done.rawValue
            }
            let typed = arguments
            let arguments = ArgumentOrder.globalsLast(arguments)
            try refuseUnknownVerb(in: arguments)
            try ClockVerb.refuseNegative(in: arguments)
            guard let verb = try await parsed(arguments) else { return CommandExit.done.rawValue }
            try RepeatedOption.refuse(in: arguments, of: type(of: verb))
            if verb.global.format == .batch, !(verb is History) {
                throw CommandFailure(.usage, "Only 'history' accepts '-o batch'")
            }
            do {
                try await verb.run(
                    in: Session(environment: environment, options: verb.global, arguments: typed))
            } catch is OutputClosed where verb.needsItsOutputRead {
                throw CommandFailure(.other, "The output was closed: the rest was not done")
            }
            return CommandExit.done.rawValue
        } catch is OutputClosed {
            // A reader that stops early, such as `head`, has read enough.
            return CommandExit.done.rawValue
        } catch let exit as ParserExit {
            return exit.code
        } catch {
            let failure = CommandFailure(error)
            // If the error stream is closed too, the exit code must suffice.
            try? environment.errors.write(ErrorText(environment: environment).text(of: failure))
            return failure.exitStatus.rawValue
        }
    }

    /// The exit after the parser has printed its message.
    private struct ParserExit: Error {
        let code: Int32
    }

    /// Returns the verb, or `nil` if help was requested and printed.
    private func parsed(_ arguments: [String]) async throws -> (any Verb)? {
        do {
            var command = try Wfctl.parseAsRoot(arguments)
            if let verb = command as? any Verb { return verb }
            // `help` and a bare `wfctl` throw their text.
            try command.run()
            return nil
        } catch {
            let code = Wfctl.exitCode(for: error)
            let text = Wfctl.fullMessage(for: error)
            guard !code.isSuccess else {
                let isCompleting = arguments.first == "---completion"
                let words = isCompleting ? await CompletionOffer(environment: environment).text(for: text) : text
                try environment.output.write(words + "\n")
                return nil
            }
            let label = "Error: "
            let said = text.hasPrefix(label) ? String(text.dropFirst(label.count)) : text
            let message = OptionSuggestion.improved(said, of: arguments, help: Self.help(for: arguments))
            let safe: StyledText = "\(lines: message)\n"
            let whole = text.hasPrefix(label) ? "\("error:", .error) \(safe)" : safe
            try environment.errors.write(whole.text(isColoured: environment.hasColours(environment.errors)))
            throw ParserExit(code: CommandExit.usage.rawValue)
        }
    }

    /// Returns the help text with the options that a command line may have.
    private static func help(for arguments: [String]) -> String {
        var verb = Wfctl.configuration.subcommands.first { $0.configuration.commandName == arguments.first }
        if let own = verb?.configuration.subcommands, !own.isEmpty {
            verb =
                own.first { arguments.dropFirst().contains($0.configuration.commandName ?? "") }
                ?? verb?.configuration.defaultSubcommand
        }
        return verb.map { Wfctl.helpMessage(for: $0) } ?? Wfctl.helpMessage() + " --version"
    }

    private func refuseUnknownVerb(in arguments: [String]) throws {
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let word = words.first, !word.hasPrefix("-") else { return }
        let verbs = Wfctl.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        guard !verbs.contains(word) else { return }
        throw CommandFailure(
            .usage, "There is no verb '\(word)'", notes: VerbSuggestion.notes(for: word, verbs: verbs))
    }
}

/// Reorders arguments.
enum ArgumentOrder {
    /// Moves global options from before the verb to after it, where the verb's parser finds them.
    static func globalsLast(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var globals: [String] = []
        while let first = rest.first {
            if GlobalOptions.names.contains(first), rest.count > 1 {
                globals += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if GlobalOptions.names.contains(where: { first.hasPrefix($0 + "=") }) {
                globals.append(first)
                rest = rest.dropFirst()
            } else if GlobalOptions.flags.contains(first) {
                globals.append(first)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        guard let verb = rest.first else { return arguments }
        let own = Wfctl.configuration.subcommands.first { $0.configuration.commandName == verb }
        let next = rest.dropFirst().first
        let isNested = own?.configuration.subcommands.contains { $0.configuration.commandName == next } ?? false
        let words = isNested ? 2 : 1
        return rest.prefix(words) + globals + rest.dropFirst(words)
    }
}
