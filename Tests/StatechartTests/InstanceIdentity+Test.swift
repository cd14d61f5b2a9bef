import Statechart

extension InstanceIdentity {
    /// The identity of instances in tests.
    static let test = InstanceIdentity(name: "test-1", version: 1, startedAt: .zero)
}
