import Statechart

extension InstanceIdentity {
    /// Who steps in tests.
    static let test = InstanceIdentity(name: "test-1", version: 1, startedAt: .zero)
}
