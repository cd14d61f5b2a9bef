// A test that starts daemons also waits for them, so it gets the helpers for waiting too.
@_exported public import ThreadTesting
