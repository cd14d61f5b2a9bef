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
        /// What a text that is written out as an argument must be one of; nil for any.
        package let words: Words?

        package init(name: String, parameters: [CELType], result: CELType, words: Words? = nil) {
            self.name = name
            self.parameters = parameters
            self.result = result
            self.words = words
        }
    }

    /// A set of words with a name.
    package struct Words: Sendable {
        /// What one of them is: `state`.
        package let noun: String
        package let all: Set<String>

        package init(noun: String, all: Set<String>) {
            self.noun = noun
            self.all = all
        }
    }

    package let variables: [Variable]
    package let functions: [Function]
    /// The namespace in which names are looked up first (`a.b`); empty for none.
    package let container: String
    /// Whether a mistake says which name was probably meant: looking for it costs more than compiling.
    package var suggests = true
    package var version = LanguageVersion.current
    let names: NameTable
    /// A variable that has another type here than in the list.
    private var retyped: (variable: Int, type: CELType)?

    package init(variables: [Variable], functions: [Function] = [], container: String = "") {
        self.variables = variables
        self.functions = functions
        self.container = container
        names = NameTable(variables: variables, functions: functions, container: container)
    }

    /// The same with another type of one variable; nothing is copied.
    package func typing(_ variable: Int, as type: CELType) -> Environment {
        var environment = self
        environment.retyped = (variable, type)
        return environment
    }

    /// The type of a variable.
    func type(of variable: Int) -> CELType {
        if let retyped, retyped.variable == variable { return retyped.type }
        return variables[variable].type
    }
}
