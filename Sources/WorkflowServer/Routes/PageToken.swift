import Foundation
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// What an opaque page token holds: where a list goes on, and which list that was.
enum PageToken: Equatable {
    case machines(after: MachineName)
    case instances(machine: MachineName?, status: String?, state: String?, after: InstanceListPosition)
    case timers(after: TimerKey)
    /// Behind the running timers come those that wait in instances that do not run.
    case waiting(from: WaitingPlace)
    case history(instance: InstanceID, isReversed: Bool, next: Int64)
    case queues(after: String)
    case effects(instance: String?, queue: String?, state: String?, after: Position)

    /// The token's text: base64url of compact JSON. Nothing secret is in it, and nothing is taken from it unchecked.
    func text(generation: Int64) -> String {
        Data(JSONWriter.bytes(JSONValue.array([.int(generation)] + fields))).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Reads a token that `text` made, and its generation; anything else is refused.
    static func read(_ text: String) throws(Problem) -> (generation: Int64, token: PageToken) {
        let padded = text.replacing("-", with: "+").replacing("_", with: "/")
        let base64 = padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)
        guard let data = Data(base64Encoded: base64), let read = read(Array(data)) else {
            throw Problem(
                .invalidPageToken,
                detail: "The page token is not one of ours; begin again without it, or use 'nextPage' as it was given")
        }
        return read
    }

    /// The refusal of a token that belongs to another list.
    static var ofAnotherList: Problem {
        Problem(
            .invalidPageToken, detail: "The page token belongs to another list; keep the other parameters as they were")
    }

    private var fields: [JSONValue] {
        switch self {
        case .machines(let name): ["m", .string(name.rawValue)]
        case .instances(let machine, let status, let state, let after):
            ["i", .optional(machine?.rawValue), .optional(status), .optional(state)] + Self.fields(of: after)
        case .timers(let key): ["t", .int(key.due.rawValue), .int(key.position.rawValue), .int(key.ordinal)]
        case .waiting(let place):
            ["w", .int(place.instance.rawValue), .int(Int64(place.taken))] + (place.after.map(Self.fields) ?? [])
        case .history(let instance, let isReversed, let next):
            ["h", .int(instance.rawValue), .bool(isReversed), .int(next)]
        case .queues(let name): ["q", .string(name)]
        case .effects(let instance, let queue, let state, let after):
            ["e", .optional(instance), .optional(queue), .optional(state), .int(after.rawValue)]
        }
    }

    private static func fields(of place: InstanceListPosition) -> [JSONValue] {
        [.int(place.machineID.rawValue), .string(place.status.rawValue), .int(place.id.rawValue)]
    }

    private static func place(_ fields: ArraySlice<JSONValue>) -> InstanceListPosition? {
        let fields = Array(fields)
        guard fields.count == 3, case .int(let machineID) = fields[0], case .int(let id) = fields[2],
            let status = fields[1].string.flatMap(InstanceStatus.init(rawValue:))
        else { return nil }
        return InstanceListPosition(
            machineID: MachineID(rawValue: machineID), status: status, id: InstanceID(rawValue: id))
    }

    private static func read(_ bytes: [UInt8]) -> (generation: Int64, token: PageToken)? {
        // Not JSON means not a token: the caller is told so, whatever the reader says.
        guard case .array(let fields)? = try? JSONReader.value(from: bytes), case .int(let generation)? = fields.first,
            let token = token(Array(fields.dropFirst()))
        else { return nil }
        return (generation, token)
    }

    private static func token(_ fields: [JSONValue]) -> PageToken? {
        guard let kind = fields.first?.string else { return nil }
        switch (kind, fields.count) {
        case ("m", 2): return fields[1].string.map { .machines(after: MachineName(rawValue: $0)) }
        case ("i", 7):
            return place(fields[4...]).map { after in
                .instances(
                    machine: fields[1].string.map(MachineName.init(rawValue:)), status: fields[2].string,
                    state: fields[3].string, after: after)
            }
        case ("t", 4):
            guard case .int(let due) = fields[1], case .int(let position) = fields[2],
                case .int(let ordinal) = fields[3]
            else { return nil }
            return .timers(
                after: TimerKey(
                    due: Timestamp(rawValue: due), position: Position(rawValue: position), ordinal: ordinal))
        case ("w", 3), ("w", 6):
            guard case .int(let instance) = fields[1], case .int(let taken) = fields[2], taken >= 0 else { return nil }
            let after = place(fields[3...])
            guard after != nil || fields.count == 3 else { return nil }
            return .waiting(
                from: WaitingPlace(
                    after: after, instance: InstanceID(rawValue: instance), taken: Int(clamping: taken)))
        case ("h", 4):
            guard case .int(let instance) = fields[1], case .bool(let isReversed) = fields[2],
                case .int(let next) = fields[3], next >= 0
            else { return nil }
            return .history(instance: InstanceID(rawValue: instance), isReversed: isReversed, next: next)
        case ("q", 2): return fields[1].string.map { .queues(after: $0) }
        case ("e", 5):
            guard case .int(let after) = fields[4] else { return nil }
            return .effects(
                instance: fields[1].string, queue: fields[2].string, state: fields[3].string,
                after: Position(rawValue: after))
        default: return nil
        }
    }
}

extension JSONValue {
    fileprivate static func optional(_ text: String?) -> JSONValue {
        text.map(JSONValue.string) ?? .null
    }
}
