package import Statechart
package import WorkflowAPI

extension MachineSummary {
    /// The machine of its source. Semantics that this program does not know are read as the latest: of a machine that
    /// is only looked at they change nothing.
    package func machine() throws(DefinitionError) -> Machine {
        try DefinitionReader.read(stored: source ?? "", semantics: Semantics(rawValue: semantics) ?? .current).machine
    }
}
