package import Statechart
internal import WorkflowRules

// The answers of all hosts: the same texts and types for every kind of host.

/// A host's report of a move, with states as paths.
package struct HostMove: Sendable {
    package var event: String
    package var data: JSONValue?
    /// The leaves before the move; `to` has the leaves after it.
    package var from: [String]
    package var to: [String]
    package var exited: [String]
    package var entered: [String]
    package var fromSeq: Int64
    package var seq: Int64
    package var context: JSONObject
    package var failure: String?

    package init(
        event: String, data: JSONValue?, from: [String], to: [String], exited: [String], entered: [String],
        fromSeq: Int64, seq: Int64, context: JSONObject, failure: String? = nil
    ) {
        self.event = event
        self.data = data
        self.from = from
        self.to = to
        self.exited = exited
        self.entered = entered
        self.fromSeq = fromSeq
        self.seq = seq
        self.context = context
        self.failure = failure
    }
}

extension TypedMachine {
    /// Returns the move with the types of `M`. If the move does not fit them, the instance has still moved, and the
    /// error says so.
    ///
    /// - Parameter event: The value that the program sent; `nil` for a row of a history.
    package func transition(
        _ move: HostMove, sent event: M.Event? = nil, of instance: String
    ) throws(HostError) -> Transition<M> {
        let untyped = UntypedMove(
            move.event, move.data, from: machine.configuration(ofLeaves: move.from),
            to: machine.configuration(ofLeaves: move.to), exited: move.exited.compactMap(machine.state(atPath:)),
            entered: move.entered.compactMap(machine.state(atPath:)), fromSeq: move.fromSeq, seq: move.seq,
            context: move.context, failure: move.failure)
        return try transition(untyped, sent: event, of: instance)
    }

    /// Returns the move with the types of `M`, by the state indices of a machine with the same definition. No path is
    /// created or looked up.
    ///
    /// - Returns: The move; `nil` if a state has another index in this machine.
    package func transition(
        _ event: String, _ data: JSONValue?, sent value: M.Event, in other: Machine, from before: [StateIndex],
        to after: [StateIndex], exited: [StateIndex],
        entered: [StateIndex], fromSeq: Int64, seq: Int64, context: JSONObject, of instance: String
    ) throws(HostError) -> Transition<M>? {
        let isSame = { [machine] (index: StateIndex) in
            index.offset < machine.states.count && machine[index].path == other[index].path
        }
        guard before.allSatisfy(isSame), after.allSatisfy(isSame), exited.allSatisfy(isSame),
            entered.allSatisfy(isSame)
        else { return nil }
        let untyped = UntypedMove(
            event, data, from: before, to: after, exited: exited, entered: entered, fromSeq: fromSeq, seq: seq,
            context: context, failure: nil)
        return try transition(untyped, sent: value, of: instance)
    }

    private func transition(
        _ move: UntypedMove, sent event: M.Event?, of instance: String
    ) throws(HostError) -> Transition<M> {
        do throws(MachineMismatch) {
            return Transition(
                names: names, move: move, sent: event, state: try state(at: move),
                context: try context(of: move.context))
        } catch {
            throw HostError(
                code: "machine-mismatch",
                message: "'\(move.event)' was applied to '\(instance)' (seq \(move.after.seq)), but \(error)")
        }
    }

    /// Returns an instance with the types of `M`.
    package func view(
        of name: String, leaves: [String], context: JSONObject, accepted: [String], seq: Int64, status: String,
        failure: String?
    ) throws(HostError) -> InstanceView<M> {
        let configuration = machine.configuration(ofLeaves: leaves)
        let snapshot = Snapshot(
            seq: seq, status: .running, configuration: configuration, context: context, memory: [])
        do throws(MachineMismatch) {
            return InstanceView(
                state: try state(at: UntypedMove(to: snapshot, at: .zero)), active: names.names(of: configuration),
                context: try self.context(of: context), accepted: events(of: accepted), seq: seq,
                status: MachineValue<M>.Status(rawValue: status) ?? .failed, failure: failure.map(names.placed))
        } catch {
            throw HostError(code: "machine-mismatch", message: "'\(name)' (seq \(seq)) cannot be read: \(error)")
        }
    }

    /// Wraps the machine of the version that an instance runs.
    package convenience init(
        _ machine: Machine, text: String, version: Int64, of instance: String
    ) throws(HostError) {
        do throws(MachineMismatch) {
            try self.init(machine, text: text)
        } catch {
            throw HostError(
                code: "machine-mismatch",
                message: "'\(instance)' runs version \(version) of '\(machine.name)', which \(error)")
        }
    }
}

extension HostError {
    /// Throws if the name is not allowed for an instance.
    package static func refuseName(_ name: String) throws(HostError) {
        guard let message = InstanceNameRule.message(for: name) else { return }
        throw HostError(code: ProblemType.invalidName.rawValue, message: message)
    }
}

extension MachineDefinition {
    /// Returns the machine of `M` itself. Throws if no host can run it.
    package static func typed() throws(HostError) -> TypedMachine<Self> {
        do throws(DefinitionMistakes) {
            return try known.machineForHost()
        } catch {
            throw HostError(code: "invalid-definition", message: error.description)
        }
    }

    /// Returns the JSON of the context that an instance starts with.
    package static func startData(_ context: Context?) throws(HostError) -> JSONObject {
        do throws(MachineMismatch) { return try data(of: context) } catch {
            throw HostError(code: "invalid-data", message: error.description)
        }
    }

    /// Returns the name and data of an event for the step.
    package static func encoded(_ event: Event) throws(Refusal<Self>) -> (name: String, data: JSONValue?) {
        do throws(MachineMismatch) {
            let encoded = try event.encoded()
            return (encoded.name.rawValue, encoded.data)
        } catch {
            throw Refusal(.invalidData, error.description)
        }
    }
}

extension Refusal {
    /// Creates the refusal of an event by a host; `nil` for an error of another kind.
    package init?(code: String, message: String, accepted: [String], in typed: TypedMachine<M>) {
        let reason = Reason(rawValue: code)
        let reasons: [Reason] = [
            .notAccepted, .guardRejected, .invalidData, .finished, .failed, .expressionFailed, .livelock,
            .unknownEvent, .preconditionFailed,
        ]
        guard reasons.contains(reason) else { return nil }
        self.init(reason, typed.names.placed(message), accepted: typed.events(of: accepted))
    }
}
