import ArgumentParser
import Statechart
import WorkflowEngine

/// The argument of the brake: `10000/1m`, or 0.
struct BrakeArgument {
    static let standard = BrakeArgument(setting: EngineLimits().brake)

    /// The setting; `nil` for no brake.
    let setting: BrakeSetting?

    private init(setting: BrakeSetting?) {
        self.setting = setting
    }

    init(_ text: String) throws {
        if text == "0" {
            self.init(setting: nil)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), (1...1_000_000_000).contains(count) else {
            throw ValidationError("'\(text)' is no brake; write a number of steps and a delay, such as 10000/1m, or 0")
        }
        do throws(DelayError) {
            let milliseconds = try DelayText.length(of: String(parts[1]))
            self.init(setting: BrakeSetting(macrosteps: count, milliseconds: max(1, milliseconds)))
        } catch {
            throw ValidationError(error.message)
        }
    }
}
