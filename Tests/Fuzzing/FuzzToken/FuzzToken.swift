import WorkflowEngine
import WorkflowStore

/// libFuzzer's entry: a text of any bytes is read as what names a task. Only what was written is one, and no text that
/// was made without the key of its instance is genuine.
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
