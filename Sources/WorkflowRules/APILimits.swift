/// The limits that server and client share.
public enum APILimits {
    /// The most characters of an instance's name: enough for a URL or two UUIDs.
    public static let instanceNameLength = 200
    /// The number of items on a page by default.
    public static let defaultPageItems = 100
    /// The most items on a page, so that the store reads a page in one slice.
    public static let largestPageItems = 500
    /// The most bytes of a request's body: enough for a definition or an event's data, and not too many for one batch.
    public static let bodyBytes = 1 << 20
    /// The most seconds for which a request for history may wait for a new row; below the idle timeouts of usual
    /// proxies.
    public static let longestWaitSeconds = 60

    /// The number of tasks that one request may ask for.
    public static let leasedTasks = 1...100
    /// The seconds that a task may take without a heartbeat.
    public static let leaseSeconds = 5...3_600
    /// The lease's seconds by default: long enough to tell a worker that hangs from one that works.
    public static let defaultLeaseSeconds = 30
    /// The bytes of a worker's name.
    public static let workerBytes = 1...200
    /// The bytes of a worker's error type.
    public static let errorTypeBytes = 1...100
    /// The most bytes of a worker's error message.
    public static let errorMessageBytes = 1_000
    /// The most bytes of JSON in a worker's report of a failure or of its progress, which is kept with the task.
    public static let taskNoteBytes = 16 << 10
    /// The most effects in one state that are counted in a queue.
    public static let countedEffects = 1_000
    /// The most effects that are shown with an instance.
    public static let shownEffects = 10
    /// The most bytes of a queue's name; the name of a host may have 253.
    public static let queueNameBytes = 300
    /// The number of effects of a queue that may run at a time.
    public static let queueConcurrency = 1...10_000
    /// The number of effects of a queue that may start in an interval.
    public static let rateCounts = 1...1_000_000
    /// The length of that interval in milliseconds, up to a day.
    public static let rateMilliseconds = 1...86_400_000
    /// The bytes of a person's reason for the history.
    public static let reasonBytes = 1...1_000
    /// The most characters of a run's name.
    public static let runNameLength = 100
    /// The most values of one kind in a selection.
    public static let addedUp = 20
    /// The most instances that a run may name.
    public static let runNames = 100_000
    /// The seconds by which a worker may delay the next attempt, up to a year.
    public static let retryAfterSeconds = 0...31_536_000
    /// The most characters of a token's name.
    public static let tokenNameLength = 64
    /// The most queues that bound a token.
    public static let tokenQueues = 100
    /// The most tokens of a daemon.
    public static let tokens = 1_000
    /// The most bytes of the person's name in `Wfd-On-Behalf-Of`.
    public static let personBytes = 100
}
