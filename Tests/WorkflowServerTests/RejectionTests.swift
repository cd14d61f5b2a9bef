import Testing
import WorkflowAPI
import WorkflowEngine

/// Tests the answers to commands that were not carried out.
@Suite struct RejectionTests {
    @Test(arguments: Rejection.Code.allCases) func everyCodeIsAProblem(code: Rejection.Code) {
        #expect(ProblemType(rawValue: code.rawValue) != nil)
    }
}
