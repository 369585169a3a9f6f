import { z } from 'zod'
import { listOf } from '#adapters/shared/host-rpc/answers/answer-shapes.ts'
import type { PurgeScope } from '#edge-cache/index.ts'
import type { Visitor } from '../../web-channel/visitor-field.ts'

/** Name under which a host is asked about itself over the web channel; nothing looks it up. */
export const ORDERS_HOST = 'channel.berth.internal'
/** What a front says in place of a visitor when it asks for itself: an address and ports that none has. */
export const FRONT_ITSELF: Visitor = {
  ...{ clientAddress: '0.0.0.0', clientPort: 0, secure: true, serverPort: 0 },
}
/** Whether it is a front's own question; one that it passes on came to a port of the front's. */
export const isAskedByFront = ({
  clientAddress,
  serverPort,
}: Pick<Visitor, 'clientAddress' | 'serverPort'>): boolean =>
  clientAddress === FRONT_ITSELF.clientAddress && serverPort === FRONT_ITSELF.serverPort

/** At most so many purges go to a front at once. */
export const MOST_ORDERS = 100
const MOST_SCOPES = 100_000
const MOST_BYTES = 32 * 2 ** 20

/** A purge that began at a host, on its way to its fronts. */
export interface PurgeOrder {
  /** Of this run of the host's web server. */
  id: string
  scopes: PurgeScope[]
}

const id = z.string().regex(/^[\w-]{1,64}$/)
const name = z.string().max(64 * 1024)
const soft = z
  .boolean()
  .optional()
  .transform((value) => (value === true ? { soft: true as const } : {}))
const scope = z
  .union([
    z.strictObject({ kind: z.literal('all'), soft }),
    z.strictObject({ kind: z.literal('tag'), tag: name, soft }),
    z.strictObject({ kind: z.literal('key'), id: name, soft }),
    z.strictObject({ kind: z.literal('prefix'), prefix: name, soft }),
  ])
  .transform(({ soft: how, ...what }): PurgeScope => ({ ...what, ...how }))
const ordersSchema = z.strictObject({
  purges: z.array(z.strictObject({ id, scopes: listOf(scope, MOST_SCOPES) })).max(MOST_ORDERS),
})
const askedSchema = z.strictObject({ done: z.array(id).max(MOST_ORDERS) })

const parsed = <T>(schema: z.ZodType<T>, text: string): T | null => {
  if (text.length > MOST_BYTES) return null
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** What a host answers; null for what is none. */
export const parseOrders = (text: string): PurgeOrder[] | null =>
  parsed(ordersSchema, text)?.purges ?? null

/** Ids of the purges that a front has carried out; null for what is no question of one. */
export const parseDone = (text: string): string[] | null => parsed(askedSchema, text)?.done ?? null
