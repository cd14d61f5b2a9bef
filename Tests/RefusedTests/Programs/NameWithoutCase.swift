// A name that is no case of its enum, and names that are none at all.
import StateMachines

// error: type 'Misspelled' does not conform to protocol 'Encodable'
enum Misspelled: EventValue, Encodable {
    case begin(count: Int), end

    // note: CodingKey case 'ned' does not match any stored properties
    enum Name: String, MachineEvent, CodingKey { case begin, end, ned }
    typealias CodingKeys = Name
}

// A history state is a name, but no case: without the typealias the compiler writes the keys of the cases.
// error: type 'Remembering' does not conform to protocol 'Decodable'
enum Remembering: StateValue, Decodable {
    case idle, busy

    // note: CodingKey case 'last' does not match any stored properties
    enum Name: String, MachineState, CodingKey { case idle, busy, last }
    typealias CodingKeys = Name
}

enum Remembered: StateValue, Decodable {
    case idle, busy

    enum Name: String, MachineState { case idle, busy, last }
}

// error: type 'Nameless' does not conform to protocol 'EventValue'
enum Nameless: EventValue, Encodable {
    case begin(count: Int), end
}
