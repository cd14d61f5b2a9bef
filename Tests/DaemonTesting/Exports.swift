// Whoever starts daemons waits for them: it has the means of waiting too.
@_exported public import ThreadTesting
