package import WorkflowJSON

extension Value {
    /// Returns the value as JSON for storage: timestamps in RFC 3339, durations as `"1.5s"`, bytes in base64.
    ///
    /// A value that came from JSON is returned unchanged. Throws for NaN, infinities, a `uint` beyond the largest
    /// `int`, keys other than strings, types and optionals. Also throws for nesting deeper than `JSONReader` accepts.
    ///
    /// - Parameter level: The number of lists and maps around the place of the value.
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
                // The keys are in the same order, so this insertion appends.
                _ = object.insert(try entry.value.json(&budget, level: level), forNewKey: key)
            }
            return .object(object)
        }
    }

    /// Returns JSON unchanged. JSON was read within the limits, so it can be too deep only within other values.
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
