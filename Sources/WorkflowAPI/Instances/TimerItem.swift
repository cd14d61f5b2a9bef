/// A timer or a delayed event of an instance.
public struct TimerItem: Equatable, WireRecord {
    public var instance: String
    /// The name of the event that will come.
    public var event: String
    /// The time when it is due.
    public var due: WireTime
    /// The milliseconds until `due`; negative if the timer is late.
    public var dueInMilliseconds: Int64
    /// The path of the state whose end cancels the timer; only in an instance's own list.
    public var state: String?
    /// The id that `cancel` names; only in an instance's own list.
    public var id: String?
    /// The delay after `due` from which the timer is skipped; `nil` if it is never skipped. Only in an instance's own
    /// list.
    public var skipMilliseconds: Int64?
    /// True if its delay starts again when the timer is too late; otherwise `nil`. Only in an instance's own list.
    public var rearms: Bool?
    /// True if the timer waits because its instance has failed or is suspended; otherwise `nil`.
    public var waits: Bool?
    /// True if the timer waits for a suspended instance; `nil` if the instance has failed, and if the timer does not
    /// wait.
    public var suspended: Bool?

    /// Creates a value from its parts.
    public init(
        instance: String, event: String, due: WireTime, dueInMilliseconds: Int64, state: String? = nil,
        id: String? = nil, skipMilliseconds: Int64? = nil, rearms: Bool? = nil, waits: Bool? = nil,
        suspended: Bool? = nil
    ) {
        self.instance = instance
        self.event = event
        self.due = due
        self.dueInMilliseconds = dueInMilliseconds
        self.state = state
        self.id = id
        self.skipMilliseconds = skipMilliseconds
        self.rearms = rearms
        self.waits = waits
        self.suspended = suspended
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        event = try fields.required("event", \.event)
        due = try fields.required("due", \.due)
        dueInMilliseconds = try fields.required("dueInMilliseconds", \.dueInMilliseconds)
        state = try fields.optional("state", \.state)
        id = try fields.optional("id", \.id)
        skipMilliseconds = try fields.optional("skipMilliseconds", \.skipMilliseconds)
        rearms = try fields.optional("rearms", \.rearms)
        waits = try fields.optional("waits", \.waits)
        suspended = try fields.optional("suspended", \.suspended)
    }
}
