import Testing
import WorkflowJSON
import WorkflowStore

@Suite struct InvocationErrorTests {
    @Test(arguments: [
        ("exit", "exit code 3", "exit code 3"),
        ("http-status", "the answer was 402", "http-status: the answer was 402"),
        ("timeout", "", "timeout"), ("late", "late", "late"), ("exit", "exited", "exit: exited"),
    ])
    func theTypeIsSaidOnce(type: String, message: String, text: String) {
        let error = InvocationError(["type": .string(type), "message": .string(message)])
        #expect(error?.text == text)
        #expect(error?.reason(of: "error.invoke.a") == text + "; no transition takes 'error.invoke.a'")
    }
}
