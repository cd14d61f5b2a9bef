// A name that is no case of its enum, and names that are none at all.
import StateMachines

// error: type 'Misspelled' does not conform to protocol 'Encodable'
enum Misspelled: EventValue, Encodable {
    case begin(count: Int), end

    // note: CodingKey case 'ned' does not match any stored properties
    enum Name: String, MachineEvent, CodingKey { case begin, end, ned }
    typealias CodingKeys = Name
}

// error: type 'Nameless' does not conform to protocol 'EventValue'
enum Nameless: EventValue, Encodable {
    case begin(count: Int), end
}
