import Foundation
import WorkflowTerminal

/// What `wfd` prints, made safe for a terminal: names of files, and text of a database, can have any character.
enum Console {
    /// Prints a result.
    static func say(_ text: String) {
        print(Printable.lines(text))
    }

    /// Tells what is no result.
    static func tell(_ text: String) {
        FileHandle.standardError.write(Data((Printable.lines(text) + "\n").utf8))
    }
}
