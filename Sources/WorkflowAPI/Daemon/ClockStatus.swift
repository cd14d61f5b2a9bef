public import WorkflowJSON

/// What the daemon's clock shows.
public struct ClockStatus: Equatable, WireObject {
    /// Whose time it is.
    public enum Kind: String, CaseIterable, Sendable, WireReadable {
        /// The machine's.
        case real
        /// One that moves only when it is told to.
        case virtual
    }

    public var clock: Kind
    public var now: WireTime
    /// Timers that fired on the way; of an answer to a move only.
    public var fired: Int64?
    /// False when there are more timers to fire on the way: ask again. Of an answer to a move only.
    public var done: Bool?

    /// Takes the parts as they are.
    public init(clock: Kind, now: WireTime, fired: Int64? = nil, done: Bool? = nil) {
        self.clock = clock
        self.now = now
        self.fired = fired
        self.done = done
    }

    public init(fields: inout WireFields) throws(WireError) {
        clock = try fields.required("clock")
        now = try fields.required("now")
        fired = try fields.optional("fired")
        done = try fields.optional("done")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("clock", clock.rawValue)
            writer.field("now", now)
            writer.field("fired", ifPresent: fired)
            writer.field("done", ifPresent: done)
        }
    }
}

/// The body of `POST /v1/clock`.
public struct ClockRequest: Equatable, WireObject {
    /// Where a virtual clock is to go. A time and no distance, so that asking twice does not go twice as far.
    public var to: WireTime

    /// Takes the parts as they are.
    public init(to: WireTime) {
        self.to = to
    }

    public init(fields: inout WireFields) throws(WireError) {
        to = try fields.required("to")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in writer.field("to", to) }
    }
}
