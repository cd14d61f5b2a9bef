/// The variables and functions that the host adds to the language.
package struct Environment: Sendable {
    /// A variable. Its number is its index in the list.
    package struct Variable: Sendable {
        /// The name, which may be qualified: `a.b`.
        package let name: String
        package let type: CELType

        package init(name: String, type: CELType) {
            self.name = name
            self.type = type
        }
    }

    /// A function of the host, called as `name(…)`. Its number is its index in the list.
    package struct Function: Sendable {
        package let name: String
        package let parameters: [CELType]
        package let result: CELType
        /// The words that a string literal as argument must be one of; `nil` for any string.
        package let words: Words?

        package init(name: String, parameters: [CELType], result: CELType, words: Words? = nil) {
            self.name = name
            self.parameters = parameters
            self.result = result
            self.words = words
        }
    }

    /// A named set of words.
    package struct Words: Sendable {
        /// The noun for one of the words: `state`.
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
    /// True if messages suggest the intended name. Finding the name costs more than compiling.
    package var suggests = true
    package var version = LanguageVersion.current
    let names: NameTable
    /// A variable whose type here differs from its type in the list.
    private var retyped: (variable: Int, type: CELType)?

    package init(variables: [Variable], functions: [Function] = [], container: String = "") {
        self.variables = variables
        self.functions = functions
        self.container = container
        names = NameTable(variables: variables, functions: functions, container: container)
    }

    /// Returns the environment with another type for one variable. Nothing is copied.
    package func typing(_ variable: Int, as type: CELType) -> Environment {
        var environment = self
        environment.retyped = (variable, type)
        return environment
    }

    /// Returns the type of a variable.
    func type(of variable: Int) -> CELType {
        if let retyped, retyped.variable == variable { return retyped.type }
        return variables[variable].type
    }
}
