import Foundation
import WorkflowTerminal

/// The output of `wfd`, made safe for a terminal: file names and texts of a database can have any character.
enum Console {
    /// Prints a result.
    static func say(_ text: String) {
        print(Printable.lines(text))
    }

    /// Prints a message other than a result to standard error.
    static func tell(_ text: String) {
        FileHandle.standardError.write(Data((Printable.lines(text) + "\n").utf8))
    }
}
