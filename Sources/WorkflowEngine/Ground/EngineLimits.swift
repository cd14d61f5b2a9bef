/// Every bound of the engine, with its unit and its reason.
package struct EngineLimits: Sendable {
    /// Commands that wait for the writer. Beyond this number wfd asks callers to come back, so that waits stay short.
    package var queuedCommands = 20_000
    /// Bytes of event data and definitions that wait for the writer.
    package var queuedBytes = 64 << 20
    /// Results of effects and tasks that wait for the writer, apart from the commands: twice the leases of a queue.
    package var queuedResults = 20_000
    /// Bytes of the waiting results.
    package var queuedResultBytes = 64 << 20
    /// The longest time that the lines of a body wait for room in the queue.
    package var roomWaiting: Duration = .seconds(30)
    /// The commands that may wait because they concern several partitions.
    package var meetings = 1_000
    /// The longest time that the lanes of a command wait for each other.
    package var meetingWaiting: Duration = .seconds(5)
    /// Rows of one batch; bounds how long the first caller waits for the last.
    package var batchRows = 512
    /// Bytes of one batch.
    package var batchBytes = 4 << 20
    /// The time spent applying one batch before it is committed.
    package var batchApplying: Duration = .milliseconds(5)
    /// Batches that wait to be written or are being written while the next is applied. The number is high enough that
    /// applying does not stop for a checkpoint.
    package var batchesUnderWay = 8
    /// Waiting batches that are written in one transaction, with one flush for all of them.
    package var batchesTogether = 4
    /// Bytes of recent instances that the writer keeps decoded.
    package var cachedInstanceBytes = 64 << 20
    /// Bytes of past instances that are kept to rebuild the answers given after them.
    package var pastInstanceBytes = 8 << 20
    /// Bytes of definitions, as text, that are kept compiled.
    package var cachedMachineBytes = 32 << 20
    /// Effects of an instance that are compared at once.
    package var foldedEffects = 100
    /// Workers that wait for tasks at once.
    package var taskWaiters = 1_000
    /// Workers, of all queues, that are remembered for a minute after they asked for tasks.
    package var watchedWorkers = 10_000
    /// Leased tasks of one queue.
    package var leases = 10_000
    /// Parts of the engine that wait for changes of queue settings.
    package var boardWaiters = 16
    /// Queues with settings; wfd keeps all of them in memory.
    package var settledQueues = 10_000
    /// Machines with settings; wfd keeps all of them in memory.
    package var settledMachines = 10_000
    /// Bytes of the inputs of tasks that are leased together. A single task is leased whatever its size.
    package var leasedBytes = 4 << 20
    /// Bytes of effects that are in memory and wait for the daemon to start them.
    package var foundBytes = 16 << 20
    /// Effects of one queue that stay in memory from their commit on. Further effects are read from the store when
    /// their turn comes.
    package var begunEffects = 1_024
    /// The longest search for effects in the store at a time, if the search needs instances that are not in memory.
    package var findingEffects = Duration.milliseconds(2)
    /// The time that a stopping daemon waits for running effects. Then the daemon ends them, and starts them again next
    /// time.
    package var endingEffects: Duration = .seconds(10)
    /// The pause between two attempts to write the result of an effect, after the first was not accepted.
    package var effectPause: Duration = .milliseconds(100)
    /// Callers that wait for new history at once.
    package var historyWaiters = 1_000
    /// Readers of the whole journal that wait for new rows at once.
    package var journalReaders = 500
    /// Instance names that are searched for the intended name of a misspelled one.
    package var suggestedInstances = 200
    /// Machine names that are searched for the intended name of a misspelled one.
    package var suggestedMachines = 10_000
    /// The nearest timers, which the writer holds in memory. At twice this number the writer reads them anew.
    package var nearTimers = 4_096
    /// Macrosteps that one instance makes by itself in one batch. An instance that never rests must not keep others
    /// waiting.
    package var firingsOfInstance = 100
    /// Units of evaluation for what an instance arms for itself while due timers fire before a command. The bound is
    /// about what one macrostep may use. The rest follows the command.
    package var costBeforeCommand = 1_000_000
    /// Milliseconds after which a timer that fires counts as late.
    package var lateMilliseconds: Int64 = 1_000
    /// Consecutive late timers of one instance. Further timers fire at the clock's time, so an outage of months is not
    /// replayed second by second.
    package var lateFirings = 1_000
    /// The macrosteps that an instance may make by itself before wfd suspends it; `nil` if there is no limit.
    package var brake: BrakeSetting? = BrakeSetting(macrosteps: 10_000, milliseconds: 60_000)
    /// Instances whose brake bucket is remembered.
    package var brakedInstances = 16_384
    /// Failed instances that are counted at start. An exact count reads many instances and means little.
    package var countedFailures = 1_000
    /// Lines of one topic that are logged per second; the rest is summed up.
    package var logLines = 10
    /// Units of evaluation from which a command is costly, about 0.1 ms. Instances and machines that recently used more
    /// stand behind the others. A batch ends with a costly command.
    package var plainCost = 10_000
    /// Units for each macrostep of an event that an instance sends to itself: about the cost of a row without its
    /// evaluation.
    package var ownMacrostepCost = 500
    /// Instances and machines whose use of evaluation is remembered: those that used most.
    package var costlyNames = 1_024
    /// The pause of all timers after a batch of timers could not be written.
    package var timerPause: Duration = .seconds(1)
    /// Timers that fire for one request to move a virtual clock; the caller asks again for the rest.
    package var clockFirings = 10_000
    /// The milliseconds for which keys are remembered: seven days. `nil` on a clock whose time differs from the
    /// callers' time; then keys are remembered while there is room.
    package var keyAge: Int64? = 7 * 86_400_000
    /// Units of evaluation of events that are applied all or not at all. The writer does nothing else meanwhile.
    package var togetherCost = 10_000_000
    /// Keys that are remembered.
    package var keys: Int64 = 50_000_000
    /// Milliseconds that the time in a key may be ahead of the clock: an hour.
    package var keyAheadMilliseconds: Int64 = 3_600_000
    /// Rows of history that are read at once to be folded.
    package var foldedRows: Int64 = 256
    /// Attempts to read the history for a reset of an instance that continues meanwhile.
    package var resetAttempts = 5
    /// The longest copy step of a backup between two batches; a command may wait this long.
    package var backupSlice: Duration = .microseconds(500)
    /// The time that a backup is kept until a client fetches it, or fetches it again.
    package var backupKept: Duration = .seconds(60)
    /// The pause between two searches for a backup that nobody fetched.
    package var backupSweep: Duration = .seconds(10)
    /// The interval at which the verification of a backup reports progress and checks whether it may continue.
    package var backupProgress: Duration = .milliseconds(50)
    /// Bytes of a backup that are read and sent at once.
    package var backupPartBytes = 256 << 10
    /// Instances that one pass over the journal compares or replays.
    package var verifiedInstances = 100_000
    /// Approximate bytes of the instances of one pass.
    package var verifiedBytes = 64 << 20
    /// Findings of one verification, or differing instances of one replay, that are listed; all are counted.
    package var toldInconsistencies = 1_000
    /// Rows of a suspended instance that are read to find out who suspended the instance.
    package var rowsOfSuspension = 1_000
    /// Rows that are read to find out who suspended the instances of one page, for all of them together.
    package var rowsOfSuspensions = 5_000
    /// Rows of an instance that are read to find out if its last timer was skipped.
    package var rowsOfSkip = 20
    /// Tasks of suspended instances that one lease skips, and how many of them the lease reads at once.
    package var passedTasks = 1_000
    package var passedAtOnce = 100
    /// Failed instances that are read at once when their failures are counted.
    package var countedPage = 1_000
    /// Reasons of failures that are listed separately; failures for other reasons are counted together.
    package var failureGroups = 1_000
    /// The limits of the statistics of machines.
    package var statistics = StatisticsLimits()
    /// Counts of instances that are read at once for monitoring.
    package var talliedRows = 10_000
    /// Rows of deleted instances that one batch removes while the writer is idle, and the time for it. An event may
    /// wait this long.
    package var sweptRows = 500
    package var sweeping = Duration.milliseconds(5)
    /// Rows of deleted instances that one batch removes while events arrive, and the time for it. The events wait
    /// meanwhile.
    package var sweptBeside = 16
    package var sweepingBeside = Duration.milliseconds(1)
    /// The pause between two such batches while events arrive.
    package var sweptBesidePause = Duration.milliseconds(3)
    /// The time without commands after which batches use `sweptRows` and `sweeping`.
    package var sweepPause = Duration.milliseconds(50)
    /// The pause before wfd tries a failed erasure again.
    package var erasurePause = Duration.seconds(2)
    /// The longest that an answer waits until erased data has left the files. After that the erasure is `pending`.
    package var erasureWait = Duration.seconds(3)
    /// The pause between two checks while an answer waits for an erasure.
    package var erasureLook = Duration.milliseconds(20)
    /// The longest that a bulk run waits for an erasure in one turn, because other runs wait behind it.
    package var erasureTurn = Duration.milliseconds(100)
    /// Finished instances that are read at once for deletion, and that one request deletes. The caller asks again for
    /// the rest.
    package var purgedPage = 500
    package var purgedAtOnce = 5_000
    /// Milliseconds of the engine's clock between two passes that delete instances past their machine's retention, and
    /// after an incomplete pass.
    package var retentionPause: Int64 = 3_600_000
    package var retentionRetry: Int64 = 60_000
    /// Attempts to read an instance that continues while it is to be deleted.
    package var deletionLooks = 5
    /// The interval at which a verification or a replay reports progress.
    package var progressInterval: Duration = .milliseconds(500)
    /// Bulk runs that are in progress at once.
    package var runsAtOnce = 16
    /// Bulk runs that are remembered; beyond this number the run that ended first is forgotten.
    package var keptRuns = 1_000
    /// Instances that a bulk run may name.
    package var runNames = 100_000
    /// Bytes of a bulk run's action, selection and reason, which are written again with each part of the run.
    package var runBytes = 64 << 10
    /// Instances of each outcome of a bulk run that are listed with the reason, and the bytes of one reason.
    package var toldOutcomes = 20
    package var outcomeBytes = 300
    /// Instances of a bulk run that are read at once.
    package var selectedPage = 512
    /// Bytes of the work prepared for these instances.
    package var preparedBytes = 4 << 20
    /// Instances of a bulk run that are changed all or not at all, in one transaction.
    package var instancesTogether: Int64 = 1_000
    /// Consecutive pages without a selected instance, after which other bulk runs have their turn.
    package var selectedPages = 32
    /// Configurations that a rehearsal counts separately.
    package var rehearsedGroups = 1_000
    /// Rows of a bulk run in a batch while other callers wait for the writer or did so recently. The number grows by
    /// one for each `sharedRowPace` that a transaction takes.
    package var sharedRows = 2...32
    package var sharedRowPace: Duration = .microseconds(200)
    /// The time for applying these rows.
    package var sharedApplying: Duration = .microseconds(500)
    /// The time that these rows wait for other commands to share a flush with.
    package var sharedPatience: Duration = .milliseconds(1)
    /// The time after a command in which other commands are expected.
    package var sharing: Duration = .seconds(1)
    /// The time that the writer may be busy with one thing before the daemon is not ready. Slow disks flush faster.
    package var writerPatience: Duration = .seconds(10)
    /// The interval at which wfd checks whether the store accepts writes again.
    package var probePause: Duration = .seconds(1)
    /// The pause, while nothing is written, between two checks for a reader that keeps the log from starting over.
    package var logHoldPause: Duration = .seconds(10)

    package init() {}
}

extension EngineLimits {
    /// Returns the limits of one of several lanes: the bytes are the daemon's. A lane has room for a batch at least.
    func divided(among lanes: Int) -> EngineLimits {
        if lanes <= 1 { return self }
        var limits = self
        for bytes in [\EngineLimits.queuedBytes, \.queuedResultBytes, \.cachedInstanceBytes] {
            limits[keyPath: bytes] = min(limits[keyPath: bytes], max(batchBytes, limits[keyPath: bytes] / lanes))
        }
        return limits
    }
}
