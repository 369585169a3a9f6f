/** Written to a stream at once, so that a slow client's progress shows. */
export const SLICE_BYTES = 65_536
