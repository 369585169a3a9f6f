import type { Duplex } from 'node:stream'
import { performServerHandshake, type ServerHttp2Session } from 'node:http2'

/** Requests that one connection may have under way. */
export const MAX_STREAMS = 128
/** Fields of one request. */
export const MAX_FIELDS = 128
/** Bytes a client may send ahead on a connection, over all its streams. */
const CONNECTION_WINDOW_BYTES = 1_048_576
const STREAM_WINDOW_BYTES = 262_144
/** What a connection may hold in memory before its new streams are refused: all of them with a full buffer, twice. */
const MEMORY_MB = 16

/** Node's session with our limits. `maxListBytes`: of a header list (RFC 9113 6.5.2). */
export const openSession = (duplex: Duplex, maxListBytes: number): ServerHttp2Session => {
  const session = performServerHandshake(duplex, {
    maxHeaderListPairs: MAX_FIELDS,
    maxSettings: 16,
    maxSessionMemory: MEMORY_MB,
    maxSessionInvalidFrames: 64,
    maxSessionRejectedStreams: 64,
    settings: {
      maxConcurrentStreams: MAX_STREAMS,
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxHeaderListSize: maxListBytes,
    },
  })
  session.setLocalWindowSize(CONNECTION_WINDOW_BYTES)
  return session
}
