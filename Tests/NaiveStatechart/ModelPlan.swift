package import WorkflowJSON

/// How instances go over from one machine to another, as a person writes it down.
package struct ModelPlan: Equatable, Sendable {
    /// What a key of the new data gets. It is computed over the old data.
    package enum Value: Equatable, Sendable {
        case literal(JSONValue)
        /// The value of another key; it cannot be computed where there is none.
        case key(String)
        /// Cannot be computed: it divides by zero.
        case fails
    }

    /// Paths of the new machine by paths of the old one. A state goes with all below it.
    package var map: [String: String] = [:]
    package var assign: [String: Value] = [:]
    /// Paths of old states, and keys of the old data.
    package var drop: [String] = []
    /// Whether new delays count from the migration, and not since the instance entered its state.
    package var countsFromNow = false
    package var cancelsInvocations = false

    package init() {}

    /// Whether it speaks of states and keys that there are.
    func isPossible(from old: ModelMachine, to new: ModelMachine) -> Bool {
        let arePlaces = map.allSatisfy { path, target in
            guard let state = old.state(at: path), let place = new.state(at: target) else { return false }
            return !place.isHistory || state.isHistory
        }
        return arePlaces && assign.keys.allSatisfy { new.context[$0] != nil }
    }
}

extension ModelMachine {
    /// The state of a path, which is not the root's.
    package func state(at path: String) -> ModelState? { states.dropFirst().first { $0.path == path } }
}
