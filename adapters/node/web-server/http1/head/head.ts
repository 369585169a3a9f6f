/**
 * What a head said, as offsets into the parsed bytes; -1 where a field is
 * missing. One object per connection, overwritten by every parse.
 */
export interface Head {
  isHead: boolean
  targetStart: number
  targetEnd: number
  /** Of the target's bytes; only for finding them again, where they are compared. */
  targetHash: number
  hasQuery: boolean
  /** Whether the target is a path on which normalisation changes nothing by its look: no `%`, `//`, `/.`, `;`. */
  plainPath: boolean
  /** First CR: from here to the end the bytes repeat from request to request on a connection. */
  blockStart: number
  hostStart: number
  hostEnd: number
  refererStart: number
  refererEnd: number
  agentStart: number
  agentEnd: number
  etagStart: number
  etagEnd: number
  cookieStart: number
  cookieEnd: number
  acceptStart: number
  acceptEnd: number
  codingsStart: number
  codingsEnd: number
  /** `Connection: close`. */
  close: boolean
  /** A field that takes a GET off the fast path: authorization, range, a condition other than one If-None-Match, a fragment asked for. */
  special: boolean
}

export const createHead = (): Head => ({
  isHead: false,
  targetStart: 0,
  targetEnd: 0,
  targetHash: 0,
  hasQuery: false,
  plainPath: false,
  blockStart: 0,
  hostStart: -1,
  hostEnd: -1,
  refererStart: -1,
  refererEnd: -1,
  agentStart: -1,
  agentEnd: -1,
  etagStart: -1,
  etagEnd: -1,
  cookieStart: -1,
  cookieEnd: -1,
  acceptStart: -1,
  acceptEnd: -1,
  codingsStart: -1,
  codingsEnd: -1,
  close: false,
  special: false,
})
