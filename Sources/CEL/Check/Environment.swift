/// What an expression may use beside the language itself: variables and functions of the host.
package struct Environment: Sendable {
    /// A variable; its number is its place in the list.
    package struct Variable: Sendable {
        /// May be qualified: `a.b`.
        package let name: String
        package let type: CELType

        package init(name: String, type: CELType) {
            self.name = name
            self.type = type
        }
    }

    /// A function that the host answers, called as `name(…)`; its number is its place in the list.
    package struct Function: Sendable {
        package let name: String
        package let parameters: [CELType]
        package let result: CELType

        package init(name: String, parameters: [CELType], result: CELType) {
            self.name = name
            self.parameters = parameters
            self.result = result
        }
    }

    package let variables: [Variable]
    package let functions: [Function]
    /// The namespace in which names are looked up first (`a.b`); empty for none.
    package let container: String

    package init(variables: [Variable], functions: [Function] = [], container: String = "") {
        self.variables = variables
        self.functions = functions
        self.container = container
    }
}
