import Statechart
import WorkflowEngine

/// The brake as users write it: `10000/1m`, or 0 for none.
enum BrakeText {
    /// Returns the brake of a text, or throws the reason why the text is not one.
    static func read(_ text: String) throws -> BrakeSetting? {
        if text == "0" { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), (1...1_000_000_000).contains(count) else {
            throw SettingMistake("'\(text)' is no brake; write a number of steps and a delay, such as 10000/1m, or 0")
        }
        do throws(DelayError) {
            // Proof: there are two parts.
            let milliseconds = try DelayText.length(of: String(parts[1]))
            return BrakeSetting(macrosteps: count, milliseconds: max(1, milliseconds))
        } catch {
            throw SettingMistake(error.message)
        }
    }
}
