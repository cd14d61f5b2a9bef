/// The bounds that server and client agree on.
public enum APILimits {
    /// Characters of an instance's name: long enough for a URL or two UUIDs.
    public static let instanceNameLength = 200
    /// Items of a page when nobody says how many.
    public static let defaultPageItems = 100
    /// Items of a page at most, so that one page is read in one slice of the store.
    public static let largestPageItems = 500
    /// Bytes of a request's body at most: what a definition or an event's data may need, and one batch can hold.
    public static let bodyBytes = 1 << 20
    /// Seconds for which a request for history may wait for a new row; below the idle timeouts of usual proxies.
    public static let longestWaitSeconds = 60

    /// Tasks that one request may ask for.
    public static let leasedTasks = 1...100
    /// Seconds that a task may take without a sign of life.
    public static let leaseSeconds = 5...3_600
    /// The same when nobody says how many: long enough for a worker that hangs to be told from one that works.
    public static let defaultLeaseSeconds = 30
    /// Bytes of what a worker calls itself.
    public static let workerBytes = 1...200
    /// Bytes of a worker's type of errors.
    public static let errorTypeBytes = 1...100
    /// Bytes of a worker's message.
    public static let errorMessageBytes = 1_000
    /// Bytes of JSON that a worker tells of a failure, or of how far it is: they are kept with the task.
    public static let taskNoteBytes = 16 << 10
    /// Effects of one state that are counted of a queue.
    public static let countedEffects = 1_000
    /// Effects that an instance is shown with.
    public static let shownEffects = 10
    /// Bytes of a queue's name: a host may have 253.
    public static let queueNameBytes = 300
    /// What of a queue may run at a time.
    public static let queueConcurrency = 1...10_000
    /// What of a queue may start in a span of time.
    public static let rateCounts = 1...1_000_000
    /// The length of that span, up to a day.
    public static let rateMilliseconds = 1...86_400_000
    /// Bytes of what a person says for the history.
    public static let reasonBytes = 1...1_000
    /// Characters of a run's name.
    public static let runNameLength = 100
    /// Values of one kind that a selection may add up.
    public static let addedUp = 20
    /// Instances that a run may name.
    public static let runNames = 100_000
    /// Seconds that a worker may put the next attempt off: a year.
    public static let retryAfterSeconds = 0...31_536_000
}
