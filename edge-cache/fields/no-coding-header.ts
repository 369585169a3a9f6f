/**
 * Header by which an origin keeps its response out of all codings of ours, also when it
 * is stored; the value means nothing. It never reaches the client.
 */
export const NO_CODING_HEADER = 'x-berth-no-coding'
