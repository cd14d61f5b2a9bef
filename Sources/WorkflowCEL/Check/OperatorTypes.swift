/// The operand and result types of the operators.
enum OperatorTypes {
    /// Returns the result type of an operator; `nil` if it does not accept operands of these types.
    static func result(_ symbol: BinaryOperator, _ left: CELType, _ right: CELType) -> CELType? {
        switch symbol {
        case .equal, .notEqual: areComparable(left, right) ? .bool : nil
        case .less, .lessOrEqual, .greater, .greaterOrEqual: areOrdered(left, right) ? .bool : nil
        case .isIn: isIn(left, right) ? .bool : nil
        default: arithmetic(symbol, left, right)
        }
    }

    /// Returns true if values of two types may be equal. Numbers compare across types, and every value may be null.
    /// Element types do not matter, because two empty lists are equal.
    private static func areComparable(_ left: CELType, _ right: CELType) -> Bool {
        guard let leftName = left.typeName, let rightName = right.typeName else { return true }
        return leftName == rightName || leftName == .null || rightName == .null || left.isNumber && right.isNumber
    }

    private static func areOrdered(_ left: CELType, _ right: CELType) -> Bool {
        guard isOrdered(left), isOrdered(right) else { return false }
        return left.isCompatible(with: right) || left.isNumber && right.isNumber
    }

    private static func isOrdered(_ type: CELType) -> Bool {
        switch type {
        case .dyn, .bool, .int, .uint, .double, .string, .bytes, .timestamp, .duration: true
        default: false
        }
    }

    private static func isIn(_ element: CELType, _ container: CELType) -> Bool {
        switch container {
        case .dyn, .object: true
        case .list(let type): areComparable(element, type)
        case .map(let key, _): areComparable(element, key)
        default: false
        }
    }

    private static func arithmetic(_ symbol: BinaryOperator, _ left: CELType, _ right: CELType) -> CELType? {
        if symbol == .add, case .list(let leftElement) = left, case .list(let rightElement) = right {
            return .list(leftElement.joined(rightElement))
        }
        let fitting = overloads(of: symbol).filter {
            $0.left.isCompatible(with: left) && $0.right.isCompatible(with: right)
        }
        return fitting.isEmpty ? nil : .joined(fitting.map(\.result))
    }

    private typealias Binary = (left: CELType, right: CELType, result: CELType)

    private static func overloads(of symbol: BinaryOperator) -> [Binary] {
        switch symbol {
        case .add: sums
        case .subtract: differences
        case .multiply: products + [(.duration, .int, .duration), (.int, .duration, .duration)]
        case .remainder: [(.int, .int, .int), (.uint, .uint, .uint)]
        default: products
        }
    }

    private static let products: [Binary] = [
        (.int, .int, .int), (.uint, .uint, .uint), (.double, .double, .double),
    ]
    private static let sums: [Binary] =
        products + [
            (.string, .string, .string), (.bytes, .bytes, .bytes), (.list(.dyn), .list(.dyn), .list(.dyn)),
            (.timestamp, .duration, .timestamp), (.duration, .timestamp, .timestamp), (.duration, .duration, .duration),
        ]
    private static let differences: [Binary] =
        products + [
            (.timestamp, .timestamp, .duration), (.timestamp, .duration, .timestamp), (.duration, .duration, .duration),
        ]
}
