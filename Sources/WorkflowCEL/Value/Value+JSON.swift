package import WorkflowJSON

extension Value {
    /// The value as JSON, to be kept: timestamps in RFC 3339, durations as `"1.5s"`, bytes in base64.
    ///
    /// What came from JSON is given back as it is. NaN, infinities, a `uint` past the largest `int`, keys that are no
    /// strings, types and optionals have no JSON, and nothing is nested deeper than `JSONReader` reads.
    ///
    /// - Parameter level: How many lists and maps there are around the place where the value will stand.
    package func json(_ budget: inout Budget, level: Int = 0) throws(EvaluationError) -> JSONValue {
        try budget.take(1)
        switch self {
        case .null: return .null
        case .bool(let bool): return .bool(bool)
        case .int(let int): return .int(int)
        case .uint(let uint):
            guard let int = Int64(exactly: uint) else {
                throw Self.unkept(.overflow, "a uint past \(Int64.max)", "write double(…) or string(…)")
            }
            return .int(int)
        case .double(let double):
            guard double.isFinite else { throw Self.unkept(.overflow, DecimalDigits.notFinite(double)) }
            return .double(double)
        case .string(let string): return .string(string)
        case .bytes(let bytes):
            try budget.take(bytes: (bytes.count + 2) / 3 * 4)
            return .string(Base64.text(bytes))
        case .timestamp(let moment): return .string(moment.text)
        case .duration(let duration): return .string(TimeSpan.text(duration))
        case .list(let list): return try Self.json(list, &budget, level + 1)
        case .map(let map): return try Self.json(map, &budget, level + 1)
        case .type: throw Self.unkept(.noOverload, "a type")
        case .optional: throw Self.unkept(.noOverload, "an optional", "write .orValue(null)")
        }
    }

    private static func json(
        _ list: ListValue, _ budget: inout Budget, _ level: Int
    ) throws(EvaluationError) -> JSONValue {
        switch list {
        case .json(let elements): return try checked(.array(elements), &budget, level)
        case .values(let values):
            try check(level)
            var elements: [JSONValue] = []
            elements.reserveCapacity(values.count)
            for value in values { elements.append(try value.json(&budget, level: level)) }
            return .array(elements)
        }
    }

    private static func json(
        _ map: MapValue, _ budget: inout Budget, _ level: Int
    ) throws(EvaluationError) -> JSONValue {
        switch map {
        case .json(let object): return try checked(.object(object), &budget, level)
        case .entries(let entries):
            try check(level)
            var object = JSONObject()
            for entry in entries {
                guard case .string(let key) = entry.key else {
                    throw unkept(.noOverload, "a map with a key that is no string", "write string(…) as its key")
                }
                // The order of keys is the same, so that this appends.
                _ = object.insert(try entry.value.json(&budget, level: level), forNewKey: key)
            }
            return .object(object)
        }
    }

    /// JSON that is given back as it is. It was read within bounds, so only within other values can it be too deep.
    private static func checked(
        _ json: JSONValue, _ budget: inout Budget, _ level: Int
    ) throws(EvaluationError) -> JSONValue {
        if level > 1 { try check(json, &budget, level) }
        return json
    }

    private static func check(_ json: JSONValue, _ budget: inout Budget, _ level: Int) throws(EvaluationError) {
        switch json {
        case .null, .bool, .int, .double, .string: return
        case .array(let elements):
            try check(level)
            try budget.take(elements.count)
            for element in elements { try check(element, &budget, level + 1) }
        case .object(let object):
            try check(level)
            try budget.take(object.count)
            for member in object.members { try check(member.value, &budget, level + 1) }
        }
    }

    private static func check(_ level: Int) throws(EvaluationError) {
        guard level <= JSONReader.deepestNesting else {
            throw EvaluationError(.limit, "the value is nested deeper than \(JSONReader.deepestNesting) levels")
        }
    }

    private static func unkept(
        _ code: EvaluationError.Code, _ what: String, _ remedy: String? = nil
    ) -> EvaluationError {
        EvaluationError(code, "\(what) has no JSON" + (remedy.map { "; \($0)" } ?? ""))
    }
}
