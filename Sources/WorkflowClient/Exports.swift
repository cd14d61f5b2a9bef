// The calls are a part of this library. They are a target of their own, because the daemon makes them for its console
// and needs no host of machines.
@_exported public import WorkflowCalls
