import WorkflowAPI
import WorkflowJSON

extension JSONValue {
    /// Parses a text from the database.
    ///
    /// - Parameters:
    ///   - column: The column, such as `instance.context`.
    ///   - owner: The name of the instance.
    /// - Throws: A problem of type `database-damaged` if the text is not JSON.
    static func stored(_ text: String, in column: String, of owner: String) throws(Problem) -> JSONValue {
        do throws(JSONError) {
            return try JSONReader.value(from: text)
        } catch {
            throw Problem(
                .databaseDamaged,
                detail: "The column '\(column)' of '\(owner)' is no JSON: \(error); 'wfctl verify --all' says what "
                    + "else is wrong")
        }
    }
}
