/// What is set for a machine, as the answer to a request that sets something.
public struct MachineSettingsItem: Equatable, WireRecord {
    public var machine: String
    /// The version that was applied last.
    public var latest: Int64
    /// The version that new instances take.
    public var active: ActiveVersion
    /// Since when and why nothing starts, and its instances take nothing; nil when they do.
    public var suspended: MachineSuspensionItem?
    /// For how many milliseconds finished instances are kept; nil for ever.
    public var retentionInMilliseconds: Int64?
    /// Of a suspension, how many instances run; of a resume, how many go on; of a dry run of a retention, how many
    /// would be deleted by now.
    public var instances: Int64?
    /// The name of the run that resumes instances.
    public var run: String?
    /// True when nothing was changed.
    public var dryRun: Bool?

    /// Takes the parts as they are.
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
    /// Why; those that are refused are told.
    public var reason: String?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
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
    /// The name of the run that resumes those that the machine has suspended; nil of a dry run.
    public var run: String?
    /// For the history.
    public var reason: String?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
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
    /// How long finished instances are kept, such as `90d`; nil for ever, on the wire `none`.
    public var retention: String?
    /// True to be told how many would be deleted, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(retention: String?, dryRun: Bool? = nil) {
        self.retention = retention
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        let text = try fields.required("retention") { $0.retention ?? RetentionRequest.none }
        retention = text == Self.none ? nil : text
        dryRun = try fields.optional("dryRun", \.dryRun)
    }

    /// The word for no retention.
    public static let none = "none"
}
