/// Every bound of the engine, with its unit and its reason.
package struct EngineLimits: Sendable {
    /// Commands that wait for the writer; past it callers are told to come back, so that waiting stays short.
    package var queuedCommands = 20_000
    /// Bytes of event data and definitions that wait for the writer.
    package var queuedBytes = 64 << 20
    /// Ends of what was begun that wait for the writer, beside the commands: twice as many as a queue has leases.
    package var queuedResults = 20_000
    /// Bytes of these.
    package var queuedResultBytes = 64 << 20
    /// How long lines of a body wait for room among these.
    package var roomWaiting: Duration = .seconds(30)
    /// Rows of one batch: how long the first caller waits for the last.
    package var batchRows = 512
    /// Bytes of one batch.
    package var batchBytes = 4 << 20
    /// Time spent applying one batch before it is committed.
    package var batchApplying: Duration = .milliseconds(5)
    /// Batches that wait to be written or are being written while the next is applied: so many that applying does not
    /// stop for a checkpoint.
    package var batchesUnderWay = 8
    /// Batches that wait and are written in one transaction: one flush pays for all of them.
    package var batchesTogether = 4
    /// Bytes of recent instances that the writer keeps decoded.
    package var cachedInstanceBytes = 64 << 20
    /// Bytes of instances as they were, kept to give the answers that followed again.
    package var pastInstanceBytes = 8 << 20
    /// Bytes of definitions, as text, that are kept compiled.
    package var cachedMachineBytes = 32 << 20
    /// Effects of an instance that are compared at once.
    package var foldedEffects = 100
    /// Workers that wait for tasks at once.
    package var taskWaiters = 1_000
    /// Workers that are remembered for a minute after they asked for tasks, of all queues.
    package var watchedWorkers = 10_000
    /// Tasks of one queue that workers have at a time.
    package var leases = 10_000
    /// Those who wait for changes of what is set for queues: parts of the engine.
    package var boardWaiters = 16
    /// Queues for which something is set: they are kept in memory.
    package var settledQueues = 10_000
    /// Machines for which something is set: they are kept in memory.
    package var settledMachines = 10_000
    /// Bytes of the inputs of tasks that are handed out together; one task is, whatever its size.
    package var leasedBytes = 4 << 20
    /// Bytes of effects that are in memory and wait to be started by the daemon.
    package var foundBytes = 16 << 20
    /// Effects of one queue that wait there from their commit on; past it they are found in the store when their turn
    /// comes.
    package var begunEffects = 1_024
    /// For how long they are looked for in the store at a time, when that takes instances that are not in memory.
    package var findingEffects = Duration.milliseconds(2)
    /// How long the daemon waits at its end for what it has started; then it ends it, and starts it again next time.
    package var endingEffects: Duration = .seconds(10)
    /// Between two tries to write what came of an effect, when that was not taken.
    package var effectPause: Duration = .milliseconds(100)
    /// Callers that wait for new history at once.
    package var historyWaiters = 1_000
    /// Readers of the whole journal that wait for new rows at once.
    package var journalReaders = 500
    /// Names of instances among which one that was probably meant is looked for.
    package var suggestedInstances = 200
    /// Names of machines among which one that was probably meant is looked for.
    package var suggestedMachines = 10_000
    /// Timers that the writer holds in memory: the nearest. Twice as many make it read them anew.
    package var nearTimers = 4_096
    /// Macrosteps of one instance that come by themselves in one batch: an instance that never comes to rest must not
    /// keep others from their turn.
    package var firingsOfInstance = 100
    /// Units of evaluation of what an instance arms for itself while what was due before a command fires: about what
    /// one macrostep may use. The rest comes after the command.
    package var costBeforeCommand = 1_000_000
    /// Milliseconds after which a timer that fires counts as late.
    package var lateMilliseconds: Int64 = 1_000
    /// Late timers of one instance in a row; past them the others fire at the clock's time, so that an outage of months
    /// is not lived through second by second.
    package var lateFirings = 1_000
    /// How many macrosteps of one instance by itself suspend it; nil for none.
    package var brake: BrakeSetting? = BrakeSetting(macrosteps: 10_000, milliseconds: 60_000)
    /// Instances whose macrosteps by themselves draw from a bucket that is remembered.
    package var brakedInstances = 16_384
    /// Macrosteps of one instance by itself within a minute; past them it is told in the log that it does not rest.
    package var restlessMacrosteps = 10_000
    /// Instances whose macrosteps by themselves are counted: those that made most.
    package var countedInstances = 1_024
    /// Failed instances that are counted at a start: many are read for it, and their number means little.
    package var countedFailures = 1_000
    /// Lines of one topic that are logged within a second; the rest is summed.
    package var logLines = 10
    /// Units of evaluation of a command that is no plain one any more, about 0.1 ms: whoever used more lately stands
    /// behind those that did not, and a batch ends with it.
    package var plainCost = 10_000
    /// Units for each macrostep of an event that an instance sends to itself: about what a row costs beside its
    /// evaluation.
    package var ownMacrostepCost = 500
    /// Instances and machines whose use of evaluation is remembered: those that used most.
    package var costlyNames = 1_024
    /// How long timers wait after a batch of them was not written.
    package var timerPause: Duration = .seconds(1)
    /// Timers that fire for one request to move a virtual clock; the caller asks again for the rest.
    package var clockFirings = 10_000
    /// How long keys are remembered, in milliseconds: seven days. Nil for as long as there is room, on a clock whose
    /// time is not that of the callers.
    package var keyAge: Int64? = 7 * 86_400_000
    /// Units of evaluation that events applied all or not at all may use: the writer does nothing else meanwhile.
    package var togetherCost = 10_000_000
    /// Keys that are remembered.
    package var keys: Int64 = 50_000_000
    /// Milliseconds that the time in a key may be ahead of the clock: an hour.
    package var keyAheadMilliseconds: Int64 = 3_600_000
    /// Rows of history that are read at once to be folded.
    package var foldedRows: Int64 = 256
    /// How often the history of an instance that goes on meanwhile is read for a reset.
    package var resetAttempts = 5
    /// For which the writer copies a backup between two batches; so long a command may wait for it.
    package var backupSlice: Duration = .microseconds(500)
    /// For which a backup is kept for its fetching to begin, or to begin again.
    package var backupKept: Duration = .seconds(60)
    /// Between two looks for a backup that nobody fetched.
    package var backupSweep: Duration = .seconds(10)
    /// How often the verification of a backup says how far it is, and looks whether it may go on.
    package var backupProgress: Duration = .milliseconds(50)
    /// Bytes of a backup that are read and sent at once.
    package var backupPartBytes = 256 << 10
    /// Instances that one pass over the journal compares or replays.
    package var verifiedInstances = 100_000
    /// Bytes of the instances of one pass, about.
    package var verifiedBytes = 64 << 20
    /// Findings of one verification, or differing instances of one replay, that are told; all are counted.
    package var toldInconsistencies = 1_000
    /// Rows of a suspended instance that are read to find out who has suspended it.
    package var rowsOfSuspension = 1_000
    /// The same of all instances of a page together.
    package var rowsOfSuspensions = 5_000
    /// The rows of an instance that are read to find out if its last timer was skipped.
    package var rowsOfSkip = 20
    /// Tasks of suspended instances that one lease passes, and how many of them it reads at once.
    package var passedTasks = 1_000
    package var passedAtOnce = 100
    /// Failed instances that are read at once when their failures are counted.
    package var countedPage = 1_000
    /// Reasons of failures that are told one by one; what fails for others is counted.
    package var failureGroups = 1_000
    /// Counts of instances that are read at once for those who watch.
    package var talliedRows = 10_000
    /// Rows of deleted instances that one batch takes away while nothing else is to be done, and for how long: so long
    /// an event may wait.
    package var sweptRows = 500
    package var sweeping = Duration.milliseconds(5)
    /// The same of a batch while events come, which wait for it.
    package var sweptBeside = 16
    package var sweepingBeside = Duration.milliseconds(1)
    /// After which the next such batch does so.
    package var sweptBesidePause = Duration.milliseconds(3)
    /// For how long nothing must have come for the larger of these.
    package var sweepPause = Duration.milliseconds(50)
    /// After which what could not be erased is tried again.
    package var erasurePause = Duration.seconds(2)
    /// The longest that an answer waits until erased data has left the files. After that it is `pending`.
    package var erasureWait = Duration.seconds(3)
    /// The pause between two checks while an answer waits so.
    package var erasureLook = Duration.milliseconds(20)
    /// The longest that a bulk run waits so in one turn, because other runs wait behind it.
    package var erasureTurn = Duration.milliseconds(100)
    /// Finished instances that are read at once to be deleted, and that are deleted for one request; the caller asks
    /// again for the rest.
    package var purgedPage = 500
    package var purgedAtOnce = 5_000
    /// Milliseconds of the engine's clock between two passes that delete what is older than its machine keeps it, and
    /// after a pass that could not do all of it.
    package var retentionPause: Int64 = 3_600_000
    package var retentionRetry: Int64 = 60_000
    /// How often an instance is looked at that goes on while it is to be deleted.
    package var deletionLooks = 5
    /// How often a verification or a replay says how far it is.
    package var progressInterval: Duration = .milliseconds(500)
    /// Runs over many instances that are under way at once.
    package var runsAtOnce = 16
    /// Runs that are remembered; beyond, the one that ended first is forgotten.
    package var keptRuns = 1_000
    /// Instances that a run may name.
    package var runNames = 100_000
    /// Bytes of what a run does, to whom and why: it is written again with each part of it.
    package var runBytes = 64 << 10
    /// Instances of each outcome of a run that are told with the reason, and the bytes of one reason.
    package var toldOutcomes = 20
    package var outcomeBytes = 300
    /// Instances of a run that are read at once.
    package var selectedPage = 512
    /// Bytes of what was prepared for them.
    package var preparedBytes = 4 << 20
    /// Instances of a run that are done all or not at all, in one transaction.
    package var instancesTogether: Int64 = 1_000
    /// Such pages in which nothing is selected, one after another; then other runs have their turn.
    package var selectedPages = 32
    /// Configurations that a rehearsal counts one by one.
    package var rehearsedGroups = 1_000
    /// Rows of a run in a batch while others wait for the writer or have done so lately: one for so much of the time
    /// that a transaction takes.
    package var sharedRows = 2...32
    package var sharedRowPace: Duration = .microseconds(200)
    /// The time for applying them.
    package var sharedApplying: Duration = .microseconds(500)
    /// For so long they wait for others to go with: then no flush is theirs alone.
    package var sharedPatience: Duration = .milliseconds(1)
    /// For so long after a command others are expected.
    package var sharing: Duration = .seconds(1)
    /// How long the writer may be busy with one thing before the daemon is not ready: longer than a slow disk flushes.
    package var writerPatience: Duration = .seconds(10)
    /// How often it is tried whether the store takes anything, after it did not.
    package var probePause: Duration = .seconds(1)
    /// The pause between two looks for a reader that keeps the log from starting over, while nothing is written.
    package var logHoldPause: Duration = .seconds(10)

    package init() {}
}
