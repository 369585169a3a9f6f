import { z } from 'zod'
import { channelPeer, frontSite } from './arguments/fronts-arguments.ts'
import { linkCertificate } from './link/trust-list.ts'
import { change, done, few, line, many, read, short, SLOW_SECS } from './answers/answer-shapes.ts'

/** A front that does not load its sites by then keeps others waiting, which load theirs after it. */
const LOAD_SECS = 60

const pairName = z.object({ domain: line, version: short })
const channelState = z.object({
  id: short.nullable(),
  certificate: linkCertificate.nullable(),
  peers: few(channelPeer),
  listen: few(line),
})

/** Answers about fronts, by port and method. */
export const FRONTS_ANSWERS = {
  frontSites: {
    edition: read(short),
    held: read(z.object({ edition: short, sites: many(frontSite), changed: many(line) }), {
      limitSecs: SLOW_SECS,
    }),
    lacking: read(many(pairName)),
    keepPairs: change(done),
    apply: change(z.object({ edition: short }), { limitSecs: LOAD_SECS }),
  },
  webChannel: {
    state: read(channelState),
    arrange: change(channelState),
  },
}
