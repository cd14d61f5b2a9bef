/// The settings of a machine, as the answer to a request that changes one.
public struct MachineSettingsItem: Equatable, WireRecord {
    public var machine: String
    /// The version that was applied last.
    public var latest: Int64
    /// The version that new instances take.
    public var active: ActiveVersion
    /// The machine's suspension; `nil` if the machine is not suspended.
    public var suspended: MachineSuspensionItem?
    /// The milliseconds for which finished instances are kept; `nil` for ever.
    public var retentionInMilliseconds: Int64?
    /// The number of instances: for a suspension those that run, for a resume those that continue. For a dry run of a
    /// retention, those that would be deleted now.
    public var instances: Int64?
    /// The name of the run that resumes instances.
    public var run: String?
    /// True if nothing was changed; otherwise `nil`.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(
        machine: String, latest: Int64, active: ActiveVersion, suspended: MachineSuspensionItem? = nil,
        retentionInMilliseconds: Int64? = nil, instances: Int64? = nil, run: String? = nil, dryRun: Bool? = nil
    ) {
        self.machine = machine
        self.latest = latest
        self.active = active
        self.suspended = suspended
        self.retentionInMilliseconds = retentionInMilliseconds
        self.instances = instances
        self.run = run
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        machine = try fields.required("machine", \.machine)
        latest = try fields.required("latest", \.latest)
        active = try fields.required("active", \.active)
        suspended = try fields.optional("suspended", \.suspended)
        retentionInMilliseconds = try fields.optional("retentionInMilliseconds", \.retentionInMilliseconds)
        instances = try fields.optional("instances", \.instances)
        run = try fields.optional("run", \.run)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}

/// The body of `POST /v1/machines/NAME/suspend`.
public struct SuspendMachineRequest: Equatable, WireRecord {
    /// The reason. Callers whose requests are refused are told it.
    public var reason: String?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(reason: String? = nil, dryRun: Bool? = nil) {
        self.reason = reason
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        reason = try fields.optional("reason", \.reason, in: APILimits.reasonBytes)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}

/// The body of `POST /v1/machines/NAME/resume`.
public struct ResumeMachineRequest: Equatable, WireRecord {
    /// The name of the run that resumes the instances that were suspended with their machine; `nil` for a dry run.
    public var run: String?
    /// The reason for the history.
    public var reason: String?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(run: String? = nil, reason: String? = nil, dryRun: Bool? = nil) {
        self.run = run
        self.reason = reason
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        run = try fields.optional("run", \.run)
        reason = try fields.optional("reason", \.reason, in: APILimits.reasonBytes)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }

    public func check() throws(WireError) {
        if run == nil, dryRun != true {
            throw WireError(.missingField, path: "run", message: "Field 'run' is missing: name the run")
        }
        if let run, let message = BulkRequest.message(forRun: run) {
            throw WireError(.invalidValue, path: "run", message: message)
        }
    }
}

/// The body of `POST /v1/machines/NAME/retention`.
public struct RetentionRequest: Equatable, WireRecord {
    /// The time for which finished instances are kept, such as `90d`. On the wire, `none` keeps them for ever.
    public var retention: String?
    /// True to count the instances that would be deleted, and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(retention: String?, dryRun: Bool? = nil) {
        self.retention = retention
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        let text = try fields.required("retention") { $0.retention ?? RetentionRequest.none }
        retention = text == Self.none ? nil : text
        dryRun = try fields.optional("dryRun", \.dryRun)
    }

    /// The word that stands for no retention on the wire.
    public static let none = "none"
}
