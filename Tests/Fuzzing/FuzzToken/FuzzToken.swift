import WorkflowEngine
import WorkflowStore

/// Reads arbitrary bytes as the name of a task (libFuzzer's entry). Only a text in the written form is accepted, and no
/// text that was made without the key of its instance is genuine.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let token = TaskToken(text: text) else { return 0 }
    precondition(token.text.utf8.elementsEqual(text.utf8), "a token is not what was read")
    precondition(TaskToken(text: token.text) == token, "a token is read in two ways")
    var random = SystemRandomNumberGenerator()
    precondition(!token.isGenuine(with: Salt(random: &random)), "a token is made without its key")
    return 0
}
