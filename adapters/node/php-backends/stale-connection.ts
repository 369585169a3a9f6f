/** A kept connection turned out to be closed, or a fresh one to a PHP that was ending, before PHP had said anything. */
export class StaleConnection extends Error {}
