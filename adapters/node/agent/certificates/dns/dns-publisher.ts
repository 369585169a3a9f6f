import { setTimeout as delay } from 'node:timers/promises'
import { accessFor } from '#handlers/domain/certificates/dns-access.ts'
import { wildcardBase } from '#handlers/domain/domains/wildcard-name.ts'
import { isAppError } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { KeptAccess } from './access-files.ts'
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

/** The name whose zone proves a name: of a wildcard the one above it. */
export const provedName = (name: string): string => wildcardBase(name) ?? name

/** Where a name, also a wildcard, is proved (RFC 8555, 8.4). */
export const challengeName = (name: string): string => `_acme-challenge.${provedName(name)}`

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
  const undo: (() => Promise<void>)[] = []

  const untilShown = async (access: KeptAccess, record: string, text: string) => {
    const servers = await lookUp.serversOf(access.zone)
    if (servers.length === 0)
      return `The DNS names no server for the zone ${access.zone} that can be asked.`
    const endMs = Date.now() + (options.limitMs ?? LIMIT_MS)
    for (;;) {
      const shown = await Promise.all(servers.map((one) => lookUp.shows(one, record, text)))
      // One that gives no answer, e.g. by a protocol that this machine has not, holds up nobody.
      if (shown.includes(true) && !shown.includes(false)) return null
      if (Date.now() >= endMs) {
        const late = servers.filter((_, at) => shown[at] !== true)
        return `The record ${record} is set, but these servers of the zone do not show it: ${late.join(', ')}.`
      }
      await delay(options.pauseMs ?? PAUSE_MS)
    }
  }

  return {
    async publish(name, text) {
      const access = accessFor(all, provedName(name))
      if (access === null) return `No DNS access covers ${name}.`
      const record = { name: challengeName(name), value: text }
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
      return untilShown(access, record.name, text)
    },
    async withdrawAll() {
      for (const step of undo.splice(0))
        await step().catch((error: unknown) => {
          log.warn('a record of a challenge was not removed yet', { error: String(error) })
        })
    },
  }
}
