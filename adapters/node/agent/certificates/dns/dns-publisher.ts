import { setTimeout as delay } from 'node:timers/promises'
import { isAppError } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { KeptAccess } from './access-files.ts'
import { placeChallenge } from './place-challenge.ts'
import type { DnsOptions, LookUp } from './look-up.ts'
import type { PendingRecords } from './pending-records.ts'
import type { ZoneUpdates } from './update-zone.ts'

/** Where the proofs of one order go that are given by DNS. */
export interface DnsPublisher {
  /** Sets the text for a name and waits until the zone's servers show it; else why not. */
  publish(name: string, text: string): Promise<string | null>
  /** Takes back all that was set; never rejects. */
  withdrawAll(): Promise<void>
}

const LIMIT_MS = 120_000
const PAUSE_MS = 2000
/** Of one record: enough for a name and its wildcard. */
const MAX_AT_ACME_DNS = 2

/** One that gives no answer, e.g. by a protocol that this machine has not, holds up nobody. */
export const isShownByAll = (shown: readonly (boolean | null)[]): boolean =>
  shown.includes(true) && !shown.includes(false)

export const createDnsPublisher = (deps: {
  username: string | null
  all: readonly KeptAccess[]
  updates: ZoneUpdates
  lookUp: LookUp
  pending: PendingRecords
  options: DnsOptions
  log: Log
}): DnsPublisher => {
  const { username, all, updates, lookUp, pending, options, log } = deps
  const atAcmeDns = new Map<string, number>()
  const undo: (() => Promise<void>)[] = []

  const untilShown = async (record: string, text: string) => {
    const servers = await lookUp.serversOf(record)
    if (servers.length === 0)
      return `The DNS names no server for the zone of ${record} that can be asked.`
    const endMs = Date.now() + (options.limitMs ?? LIMIT_MS)
    for (;;) {
      const shown = await Promise.all(servers.map((one) => lookUp.shows(one, record, text)))
      if (isShownByAll(shown)) return null
      if (Date.now() >= endMs) {
        const late = servers.filter((_, at) => shown[at] !== true)
        return `The record ${record} is set, but these servers of the zone do not show it: ${late.join(', ')}.`
      }
      await delay(options.pauseMs ?? PAUSE_MS)
    }
  }

  return {
    async publish(name, text) {
      const place = await placeChallenge(lookUp, all, name)
      if ('reason' in place) return place.reason
      const { access } = place
      const record = { name: place.record, value: text }
      if (access.kind === 'acme-dns') {
        const set = (atAcmeDns.get(record.name) ?? 0) + 1
        atAcmeDns.set(record.name, set)
        if (set > MAX_AT_ACME_DNS)
          return `More than ${MAX_AT_ACME_DNS} names lead to ${record.name}, and an acme-dns keeps no more texts. Register another access for ${name}.`
      }
      // Before it is set, so that no crash leaves it behind unnoticed.
      const note = pending.note({ username, access: access.name, ...record })
      undo.push(async () => {
        try {
          await updates.remove(access, record)
          pending.forget(note)
        } finally {
          pending.leave(note)
        }
      })
      try {
        await updates.add(access, record)
      } catch (error) {
        if (isAppError(error)) return error.message
        throw error
      }
      return untilShown(record.name, text)
    },
    async withdrawAll() {
      for (const step of undo.splice(0))
        await step().catch((error: unknown) => {
          log.warn('a record of a challenge was not removed yet', { error: String(error) })
        })
    },
  }
}
