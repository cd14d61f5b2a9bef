import ArgumentParser
import Statechart
import WorkflowAPI
import WorkflowJSON

/// The options that describe the migration of an instance to another version.
struct MigrationOptions: ParsableArguments {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Map a state, with all states below it, to another path; may be repeated.", valueName: "old=new"))
    var map: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Set a context value, computed by CEL from the old context; may be repeated.", valueName: "path=cel"))
    var assign: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Drop a state or a context value; may be repeated.", valueName: "path"))
    var drop: [String] = []

    @Option(help: ArgumentHelp("Count new timers from the entry into their state, or from now. (default: since-entry)"))
    var timers: Timers?

    @Flag(help: "Cancel invocations that the new version does not have.")
    var cancelInvocations = false

    @Option(
        help: ArgumentHelp(
            "Read the migration options from a YAML or JSON file; the command line adds to them.", valueName: "file"),
        completion: .file())
    var plan: String?

    enum Timers: String, ExpressibleByArgument, CaseIterable {
        case sinceEntry = "since-entry"
        case fromNow = "from-now"
    }

    /// True if no option is given.
    var isEmpty: Bool {
        map.isEmpty && assign.isEmpty && drop.isEmpty && timers == nil && !cancelInvocations && plan == nil
    }

    func validate() throws {
        _ = try Self.pairs(map, "--map", "OLD=NEW")
        _ = try Self.pairs(assign, "--assign", "PATH=CEL")
    }

    /// Returns the plan, combined from the file and the options.
    func item(in session: Session) throws -> MigrationPlanItem {
        var item = MigrationPlanItem()
        if let plan { item = try Self.item(ofFile: plan, in: session) }
        item.map = Self.merged(item.map, try Self.pairs(map, "--map", "OLD=NEW"))
        item.assign = Self.merged(item.assign, try Self.pairs(assign, "--assign", "PATH=CEL"))
        if !drop.isEmpty { item.drop = (item.drop ?? []) + drop }
        if let timers { item.timers = timers == .fromNow ? .fromNow : .sinceEntry }
        if cancelInvocations { item.cancelInvocations = true }
        return item
    }

    private static func item(ofFile path: String, in session: Session) throws -> MigrationPlanItem {
        let bytes = try session.environment.files.read(path, limit: APILimits.bodyBytes)
        func noPlan(_ why: String) -> CommandFailure {
            CommandFailure(.badData, "'\(path)' is no plan of a migration: \(why)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw noPlan("it is not valid UTF-8") }
        guard text.contains(where: { !$0.isWhitespace }) else { throw noPlan("it is empty") }
        do {
            let syntax: DefinitionSyntax = path.hasSuffix(".json") ? .json : .detected
            return try MigrationPlanItem(json: try DefinitionReader.value(of: text, syntax: syntax))
        } catch let error as DefinitionError {
            throw noPlan(error.diagnostics.map { "\($0.line):\($0.column): \($0.message)" }.joined(separator: "; "))
        } catch let error as WireError {
            throw noPlan(error.message)
        }
    }

    private static func merged(_ one: [String: String]?, _ other: [String: String]) -> [String: String]? {
        let merged = (one ?? [:]).merging(other) { $1 }
        return merged.isEmpty ? nil : merged
    }

    /// Returns the right sides by the left ones.
    private static func pairs(_ texts: [String], _ option: String, _ form: String) throws -> [String: String] {
        var pairs: [String: String] = [:]
        for text in texts {
            guard let pair = AssignmentText(text) else {
                throw ValidationError("'\(option) \(text)' must be \(form)")
            }
            guard pairs.updateValue(pair.right, forKey: pair.left) == nil else {
                throw ValidationError("'\(pair.left)' is given twice by '\(option)'")
            }
        }
        return pairs
    }
}
