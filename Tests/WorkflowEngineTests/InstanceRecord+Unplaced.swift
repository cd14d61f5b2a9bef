import Statechart
import WorkflowJSON
import WorkflowStore

extension InstanceRecord {
    /// The state as a fold gives it: without the positions of the rows that armed its items.
    var unplacedState: SnapshotText {
        guard case .array(let armed)? = try? JSONReader.value(from: state.armed) else { return state }
        var state = state
        let unplaced = armed.map { element -> JSONValue in
            guard var object = element.object else { return element }
            object["position"] = nil
            return .object(object)
        }
        state.armed = JSONWriter.string(JSONValue.array(unplaced))
        return state
    }
}
