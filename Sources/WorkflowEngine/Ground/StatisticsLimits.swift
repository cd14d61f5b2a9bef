/// The limits of the statistics of machines.
package struct StatisticsLimits: Sendable {
    /// Queries whose counts are kept, so that the next answer reads only later rows.
    package var sheets = 4
    /// States that are counted, each in at most `DurationSketch.bytes`.
    package var states = 2_000
    /// Pairs of an event and a change of leaves that are counted.
    package var transitions = 2_000
    /// Reasons of failures that are counted, each in about 1 KiB.
    package var failures = 500
    /// Bytes of the names of states and transitions.
    package var nameBytes = 1 << 20
    /// Bytes of the events and configurations whose places in the counts are remembered.
    package var moveBytes = 1 << 20
    /// Lasting stays and instances that are known; the begins of others are read when they end.
    package var openStays = 65_536
    /// The time after which a request reads no more, and returns the counts so far.
    package var turn: Duration = .seconds(2)
    /// Bytes of rows that are read at once.
    package var sliceBytes = 1 << 20
    /// Instances that are read at once.
    package var page = 500

    package init() {}
}
