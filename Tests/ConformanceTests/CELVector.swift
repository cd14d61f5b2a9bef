import Foundation
import WorkflowCEL
import WorkflowJSON

/// A vector of a file in `conformance/cel`: an expression, and its value or the fact that it fails.
struct CELVector: Sendable {
    enum Expectation: Sendable {
        case value(Value)
        case error
    }

    let name: String
    let expression: String
    let environment: Environment
    /// The values in the order of the environment's variables; `nil` for a declared variable without a value.
    let bindings: [Value?]
    let options: CompileOptions
    let expectation: Expectation

    /// Returns all vectors of a file.
    static func read(file: URL) throws -> [CELVector] {
        let root = try JSONReader.value(from: try Data(contentsOf: file))
        guard case .array(let tests)? = root.object?["tests"] else {
            throw CELVectorError(description: "\(file.lastPathComponent) has no tests")
        }
        let title = file.deletingPathExtension().lastPathComponent
        return try tests.map { try CELVector($0.object ?? JSONObject(), title) }
    }

    private init(_ test: JSONObject, _ title: String) throws {
        name = [title, test["section"]?.string, test["name"]?.string].compactMap(\.self).joined(separator: "/")
        expression = test["expr"]?.string ?? ""
        let values = test["bindings"]?.object ?? JSONObject()
        var types: [String: CELType] = [:]
        if case .array(let declared)? = test["type_env"] {
            for type in declared.compactMap(\.object) {
                types[type["name"]?.string ?? ""] = type["type"]?.string.flatMap { CELType(parsing: $0) }
            }
        }
        let names = Set(values.keys).union(types.keys).sorted()
        environment = Environment(
            variables: names.map { Environment.Variable(name: $0, type: types[$0] ?? .dyn) },
            container: test["container"]?.string ?? "")
        bindings = try names.map { name in try values[name].map { try Self.value($0) } }
        var options = CompileOptions()
        options.isChecked = test["disable_check"] != true
        options.hasMacros = test["disable_macros"] != true
        self.options = options
        expectation =
            test["error"] == true ? .error : .value(try test["value"].map { try Self.value($0) } ?? .bool(true))
    }

    /// Returns a value from the notation of the files: `{"int": "1"}`.
    private static func value(_ json: JSONValue) throws -> Value {
        guard let member = json.object?.members.first else { throw CELVectorError(description: "no value: \(json)") }
        let value: Value? =
            switch (member.key, member.value) {
            case ("int", .string(let text)): Int64(text).map { .int($0) }
            case ("uint", .string(let text)): UInt64(text).map { .uint($0) }
            case ("double", let number): double(number).map { .double($0) }
            case ("string", .string(let string)): .string(string)
            case ("bytes", .string(let base64)): Data(base64Encoded: base64).map { .bytes(Array($0)) }
            case ("bool", .bool(let bool)): .bool(bool)
            case ("null", _): .null
            case ("list", .array(let elements)): .list(.values(try elements.map { try self.value($0) }))
            case ("map", .array(let pairs)): .map(.entries(try entries(pairs)))
            case ("type", .string(let name)): TypeName(rawValue: name).map { .type($0) }
            case ("timestamp", .string(let text)): .timestamp(try Timestamp(text: text))
            case ("duration", .string(let text)): .duration(try TimeSpan.read(text))
            default: nil
            }
        guard let value else { throw CELVectorError(description: "no value: \(json)") }
        return value
    }

    private static func double(_ json: JSONValue) -> Double? {
        switch json {
        case .double(let double): double
        case .int(let int): Double(int)
        case .string("NaN"): .nan
        case .string("Infinity"): .infinity
        case .string("-Infinity"): -.infinity
        default: nil
        }
    }

    private static func entries(_ pairs: [JSONValue]) throws -> [MapValue.Entry] {
        try pairs.map { pair in
            guard case .array(let parts) = pair, parts.count == 2, let key = MapKey(try value(parts[0])) else {
                throw CELVectorError(description: "no entry: \(pair)")
            }
            return MapValue.Entry(key: key, value: try value(parts[1]))
        }.sorted { $0.key < $1.key }
    }
}

struct CELVectorError: Error, CustomStringConvertible {
    let description: String
}
