import Seeds
import StateMachines

let order = try StateMachine(Order.self)
try order.send(.submit(["amount": 1250]))
switch order.state {
case .review(legal: .ok, finance: .pending): print("only finance is missing")
case .review(legal: _, finance: _): print("in review")
case .draft, .awaitingPayment, .packing, .shipped, .rejected: break
}
