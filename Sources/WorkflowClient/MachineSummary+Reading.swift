package import Statechart
package import WorkflowAPI

extension MachineSummary {
    /// The machine that its source defines. Semantics that this program does not know are replaced by the latest,
    /// because the machine is only shown.
    package func machine() throws(DefinitionError) -> Machine {
        try DefinitionReader.read(stored: source ?? "", semantics: Semantics(rawValue: semantics) ?? .current).machine
    }
}
