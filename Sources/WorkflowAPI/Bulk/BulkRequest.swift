/// The body of `POST /v1/bulk`, or its first line: one verb for many instances.
public struct BulkRequest: Equatable, WireRecord {
    /// The name of the run; `nil` is allowed for a dry run only.
    public var run: String?
    public var action: BulkAction
    /// The selection; `nil` if the lines after the first name the instances. An undo has none: it uses those of the
    /// undone run.
    public var select: BulkSelect?
    /// The first 6 to 64 hexadecimal digits of the digest that a dry run reported; `nil` to accept any selection.
    public var expect: String?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?
    /// The reason for the history. The verb decides whether it is required.
    public var reason: String?
    /// `migrate` only: true to change nothing unless all instances can be migrated.
    public var allOrNothing: Bool?

    /// Creates a value from its parts.
    public init(
        run: String? = nil, action: BulkAction, select: BulkSelect? = nil, expect: String? = nil, dryRun: Bool? = nil,
        reason: String? = nil, allOrNothing: Bool? = nil
    ) {
        self.allOrNothing = allOrNothing
        self.run = run
        self.action = action
        self.select = select
        self.expect = expect
        self.dryRun = dryRun
        self.reason = reason
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        run = try fields.optional("run", \.run)
        action = try fields.required("action", \.action)
        select = try fields.optional("select", \.select)
        expect = try fields.optional("expect", \.expect)
        dryRun = try fields.optional("dryRun", \.dryRun)
        reason = try fields.optional("reason", \.reason, in: APILimits.reasonBytes)
        allOrNothing = try fields.optional("allOrNothing", \.allOrNothing)
    }

    public func check() throws(WireError) {
        if let run, let message = Self.message(forRun: run) {
            throw WireError(.invalidValue, path: "run", message: message)
        }
        if let expect, !Self.isDigest(expect) {
            throw WireError(
                .invalidValue, path: "expect",
                message: "Field 'expect' must be 6 to 64 hexadecimal digits, as a dry run tells them")
        }
        if run == nil, dryRun != true {
            throw WireError(.missingField, path: "run", message: "Field 'run' is missing: a run has a name")
        }
        if action.verb == .undo, select != nil {
            throw WireError(
                .invalidValue, path: "select", message: "Field 'select' goes without 'undo': the run had its instances")
        }
        if allOrNothing == true, action.verb != .migrate {
            throw WireError(
                .invalidValue, path: "allOrNothing", message: "Field 'allOrNothing' is for the verb 'migrate' only")
        }
        if action.verb.needsReason, reason == nil, dryRun != true {
            throw WireError(.missingField, path: "reason", message: "Field 'reason' is missing")
        }
    }

    /// Returns the reason why a run may not have a name; `nil` if it may.
    public static func message(forRun name: String) -> String? {
        guard name.utf8.count <= APILimits.runNameLength, InstanceNameRule.isValid(name) else {
            return "'\(name.prefix(40))' is no name of a run: 1 to \(APILimits.runNameLength) characters of "
                + "A-Z a-z 0-9 _ . : @ -"
        }
        return nil
    }

    /// Returns true if a text can be the beginning of a digest.
    public static func isDigest(_ text: String) -> Bool {
        (6...64).contains(text.utf8.count) && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}

/// The instances that a run covers: those that meet every condition.
public struct BulkSelect: Equatable, WireRecord {
    /// The names of the machines; empty for all.
    public var machines: [String]
    /// The versions of the only machine in `machines`; empty for all.
    public var versions: [Int64]
    /// The statuses of the instances; empty for all.
    public var statuses: [Instance.Status]
    /// The paths of states: an instance must be in one of them or below it. Empty for all.
    public var states: [String]
    /// The shortest time for which an instance has been in its configuration, such as `2d`.
    public var olderThan: String?
    /// Texts of which the instance's failure must contain one; empty for all.
    public var failures: [String]
    /// The text with which the names begin; `nil` for all.
    public var prefix: String?
    /// The condition, as the field `where`: an expression as in the list of instances. `nil` for none.
    public var condition: String?
    /// `machine` selects the instances that were suspended with their machine.
    public var suspendedBy: String?
    /// True to select all instances; excludes every other condition.
    public var all: Bool?

    /// Creates a value from its parts.
    public init(
        machines: [String] = [], versions: [Int64] = [], statuses: [Instance.Status] = [], states: [String] = [],
        olderThan: String? = nil, failures: [String] = [], prefix: String? = nil, condition: String? = nil,
        suspendedBy: String? = nil, all: Bool? = nil
    ) {
        self.prefix = prefix
        self.condition = condition
        self.suspendedBy = suspendedBy
        self.machines = machines
        self.versions = versions
        self.statuses = statuses
        self.states = states
        self.olderThan = olderThan
        self.failures = failures
        self.all = all
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        machines = try fields.oneOrMore("machine", \.machines)
        versions = try fields.oneOrMore("version", \.versions)
        statuses = try fields.oneOrMore("status", \.statuses)
        states = try fields.oneOrMore("state", \.states)
        olderThan = try fields.optional("olderThan", \.olderThan)
        failures = try fields.oneOrMore("failure", \.failures)
        prefix = try fields.optional("prefix", \.prefix)
        condition = try fields.optional("where", \.condition)
        suspendedBy = try fields.optional("suspendedBy", \.suspendedBy)
        all = try fields.optional("all", \.all)
    }

    public func check() throws(WireError) {
        if !versions.isEmpty, machines.count != 1 {
            throw WireError(
                .missingField, path: "select.machine", message: "Field 'select.version' needs one value of 'machine'")
        }
        if let suspendedBy, suspendedBy != Self.byMachine {
            throw WireError(
                .invalidValue, path: "select.suspendedBy", message: "Field 'select.suspendedBy' must be 'machine'")
        }
        for (name, text) in [("prefix", prefix), ("where", condition)] where text?.isEmpty ?? false {
            throw WireError(
                .invalidValue, path: "select.\(name)", message: "Field 'select.\(name)' must not be empty")
        }
        if suspendedBy != nil, !statuses.isEmpty {
            throw WireError(
                .invalidValue, path: "select.suspendedBy",
                message: "Field 'select.suspendedBy' goes without 'status': only suspended instances have it")
        }
        if isEmpty == (all != true) {
            throw WireError(
                .invalidValue, path: "select",
                message: isEmpty
                    ? "Field 'select' selects nothing: say which instances, or all of them with 'all'"
                    : "Field 'select.all' goes with nothing else")
        }
    }

    /// True if the selection has no condition.
    public var isEmpty: Bool {
        machines.isEmpty && versions.isEmpty && statuses.isEmpty && states.isEmpty && olderThan == nil
            && failures.isEmpty && prefix == nil && condition == nil && suspendedBy == nil
    }

    /// The only value of `suspendedBy`.
    public static let byMachine = "machine"
}

/// A line after the first of `POST /v1/bulk`: an instance of the run.
public struct BulkName: Equatable, WireRecord {
    public var instance: String

    /// Creates a line from the name of the instance.
    public init(instance: String) {
        self.instance = instance
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
    }
}
