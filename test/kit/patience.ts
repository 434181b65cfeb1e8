/**
 * How long a test waits for an event, in milliseconds. It measures nothing and only ends a test that hangs, so no
 * busy machine reaches it.
 */
export const patienceMs = 600_000
