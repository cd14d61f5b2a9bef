package import Statechart
package import WorkflowAPI

extension MachineSummary {
    /// Returns the machine that the source defines. Unknown semantics are replaced by the latest, because the machine
    /// is only shown.
    package func machine() throws(DefinitionError) -> Machine {
        try DefinitionReader.read(stored: source ?? "", semantics: Semantics(rawValue: semantics) ?? .current).machine
    }
}
