// A process that does nothing, for the cost of Node itself.
