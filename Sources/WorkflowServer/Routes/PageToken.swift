import Foundation
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The contents of an opaque page token: the place where a list goes on, and the list that the token is for.
enum PageToken: Equatable {
    case machines(after: MachineName)
    /// The query's limit and condition do not count; the mark is the condition's.
    case instances(InstanceQuery, ConditionMark?)
    case tally(machines: [MachineName], after: TallyKey)
    case timers(after: TimerKey)
    /// The running timers are followed by timers that wait in instances that do not run.
    case waiting(from: WaitingPlace)
    case history(instance: InstanceID, isReversed: Bool, next: Int64)
    case queues(after: String)
    case audit(before: Position)
    case effects(instance: String?, queues: [String], states: [String], after: Position)
    case attempts(instance: InstanceID, row: Position)

    /// Returns the token's text: base64url of compact JSON. The token contains no secrets, and its reader checks every
    /// value.
    func text(generation: Int64) -> String {
        Data(JSONWriter.bytes(JSONValue.array([.int(generation)] + fields))).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Parses a token that `text` made, and its generation; refuses any other text.
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
        case .instances(let query, let mark): Self.fields(of: query, mark)
        case .tally(let machines, let key):
            [
                "n", .texts(machines.map(\.rawValue)), .int(key.machineID.rawValue), .string(key.status.rawValue),
                .string(key.configuration),
            ]
        case .timers(let key): ["t", .int(key.due.rawValue), .int(key.position.rawValue), .int(key.ordinal)]
        case .waiting(let place):
            ["w", .int(place.instance.rawValue), .int(Int64(place.taken))] + (place.after.map(Self.fields) ?? [])
        case .history(let instance, let isReversed, let next):
            ["h", .int(instance.rawValue), .bool(isReversed), .int(next)]
        case .queues(let name): ["q", .string(name)]
        case .audit(let position): ["u", .int(position.rawValue)]
        case .effects(let instance, let queues, let states, let after):
            ["e", .optional(instance), .texts(queues), .texts(states), .int(after.rawValue)]
        case .attempts(let instance, let row): ["a", .int(instance.rawValue), .int(row.rawValue)]
        }
    }

    private static func fields(of query: InstanceQuery, _ mark: ConditionMark?) -> [JSONValue] {
        let filters: [JSONValue] = [
            .texts(query.machines.map(\.rawValue)), .texts(query.statuses.map(\.rawValue)), .texts(query.states),
            query.enteredBefore.map { .int($0.rawValue) } ?? .null, .texts(query.failures),
            .optional(query.order?.rawValue),
        ]
        let place: [JSONValue]? = query.after.map { after in
            switch after {
            case .found(let place): fields(of: place)
            case .ranked(let rank): [.int(rank.time), .string(rank.name), .int(rank.id.rawValue)]
            }
        }
        // New fields come after the fields that earlier releases write, so that tokens of those releases can be read
        // too.
        var later: [JSONValue] = [
            query.updatedAfter.map { .int($0.rawValue) } ?? .null, .optional(query.prefix),
            mark?.json ?? .null,
            query.versions.isEmpty ? .null : .array(query.versions.map { .int($0.rawValue) }),
        ]
        while later.last == .null { later.removeLast() }
        return ["i"] + filters + (place ?? []) + later
    }

    private static func query(_ fields: [JSONValue]) -> PageToken? {
        guard (10...14).contains(fields.count) else { return nil }
        let order = fields[6].string.flatMap(InstanceOrder.init(rawValue:))
        let after: InstanceListPosition? =
            order == nil ? place(fields[7..<10]).map { .found($0) } : rank(fields).map { .ranked($0) }
        if after == nil { return nil }
        var query = InstanceQuery(
            machines: fields[1].texts.map(MachineName.init(rawValue:)),
            statuses: fields[2].texts.compactMap(InstanceStatus.init(rawValue:)), states: fields[3].texts,
            failures: fields[5].texts, order: order, limit: 0, after: after)
        if case .int(let time) = fields[4] { query.enteredBefore = Timestamp(rawValue: time) }
        // The writer leaves out what is null at the end.
        var later = fields.dropFirst(10)
        if later.last == .null { return nil }
        switch later.popFirst() ?? .null {
        case .null: break
        case .int(let time): query.updatedAfter = Timestamp(rawValue: time)
        default: return nil
        }
        let (prefix, marked) = (later.popFirst() ?? .null, later.popFirst() ?? .null)
        query.prefix = prefix.string
        let mark = ConditionMark(marked)
        guard (prefix == .null) == (query.prefix == nil), (marked == .null) == (mark == nil) else { return nil }
        if let listed = later.popFirst() {
            guard case .array(let versions) = listed else { return nil }
            for version in versions {
                guard case .int(let version) = version else { return nil }
                query.versions.append(MachineVersion(rawValue: version))
            }
        }
        return .instances(query, mark)
    }

    private static func tally(_ fields: [JSONValue]) -> PageToken? {
        guard case .int(let machineID) = fields[2], let configuration = fields[4].string,
            let status = fields[3].string.flatMap(InstanceStatus.init(rawValue:))
        else { return nil }
        return .tally(
            machines: fields[1].texts.map(MachineName.init(rawValue:)),
            after: TallyKey(
                machineID: MachineID(rawValue: machineID), status: status, configuration: configuration))
    }

    private static func rank(_ fields: [JSONValue]) -> InstanceRank? {
        guard case .int(let time) = fields[7], let name = fields[8].string, case .int(let id) = fields[9] else {
            return nil
        }
        return InstanceRank(time: time, name: name, id: InstanceID(rawValue: id))
    }

    private static func fields(of place: InstanceListPlace) -> [JSONValue] {
        [.int(place.machineID.rawValue), .string(place.status.rawValue), .int(place.id.rawValue)]
    }

    private static func place(_ fields: ArraySlice<JSONValue>) -> InstanceListPlace? {
        let fields = Array(fields)
        // Proof: there are three.
        guard fields.count == 3, case .int(let machineID) = fields[0], case .int(let id) = fields[2],
            let status = fields[1].string.flatMap(InstanceStatus.init(rawValue:))
        else { return nil }
        return InstanceListPlace(
            machineID: MachineID(rawValue: machineID), status: status, id: InstanceID(rawValue: id))
    }

    private static func read(_ bytes: [UInt8]) -> (generation: Int64, token: PageToken)? {
        // A text that is not JSON is not a token: the caller is told so, whatever the reader reports.
        guard case .array(let fields)? = try? JSONReader.value(from: bytes), case .int(let generation)? = fields.first,
            let token = token(Array(fields.dropFirst()))
        else { return nil }
        return (generation, token)
    }

    private static func token(_ fields: [JSONValue]) -> PageToken? {
        guard let kind = fields.first?.string else { return nil }
        switch (kind, fields.count) {
        case ("m", 2): return fields[1].string.map { .machines(after: MachineName(rawValue: $0)) }
        case ("i", _): return query(fields)
        case ("n", 5): return tally(fields)
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
        case ("u", 2):
            guard case .int(let position) = fields[1] else { return nil }
            return .audit(before: Position(rawValue: position))
        case ("e", 5):
            guard case .int(let after) = fields[4] else { return nil }
            return .effects(
                instance: fields[1].string, queues: fields[2].texts, states: fields[3].texts,
                after: Position(rawValue: after))
        case ("a", 3):
            guard case .int(let instance) = fields[1], case .int(let row) = fields[2] else { return nil }
            return .attempts(instance: InstanceID(rawValue: instance), row: Position(rawValue: row))
        default: return nil
        }
    }
}

extension JSONValue {
    fileprivate static func optional(_ text: String?) -> JSONValue {
        text.map(JSONValue.string) ?? .null
    }

    fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    /// The texts of a list. A single text counts as a list too, because tokens had one before there were lists.
    fileprivate var texts: [String] {
        if case .array(let texts) = self { texts.compactMap(\.string) } else { string.map { [$0] } ?? [] }
    }
}
