import StoreTesting
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test only where the usual store has one partition, and so one lane.
    static func onePartition(_ reason: Comment) -> ConditionTrait {
        .enabled(if: FakeStore.usualPartitions == 1, reason)
    }
}
