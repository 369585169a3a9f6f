import { wildcardBase, wildcardOf } from '../domain/domains/wildcard-name.ts'
import { unixSecs } from '../domain/text/timestamp.ts'
import { conflict } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store/store.ts'

/** Names under which the panel is reached, which no site may have: cookies ignore ports. */
export interface PanelNames {
  /** Remembers the name in an origin (`https://panel.example.com:8443`) that an administrator uses. */
  seen(origin: string): Promise<void>
  /**
   * Throws 409 for a name of the panel or its machines. Tenants are also refused
   * what lies above or below one, for it could set the panel's cookies; an
   * administrator may well host the domain that the panel's name belongs to.
   */
  assertFree(name: string, field: string, byAdministrator: boolean): Promise<void>
}

const MAX_SEEN = 32
/** A name that nobody used for so long is free again; cookies last a day. */
const KEEP_SECS = 7 * 86_400
/** A name that is in use is noted as often. */
const NOTE_SECS = 3600

const isName = (host: string): boolean => {
  const label = host.slice(host.lastIndexOf('.') + 1)
  return /^[a-z0-9-]+$/.test(label) && /[a-z]/.test(label)
}

/**
 * What browsers use is kept in the store, for all instances of the panel alike.
 *
 * @param own names of this machine, in any case. `localhost` is always one.
 */
export const createPanelNames = (
  { store, clock, log }: { store: Store; clock: Clock; log: Log },
  own: readonly string[],
): PanelNames => {
  const fixed = [
    'localhost',
    ...own.map((name) => name.toLowerCase().replace(/\.$/, '')).filter(isName),
  ]
  /** When this process noted which name, in seconds. */
  const noted = new Map<string, number>()

  const note = async (name: string): Promise<void> => {
    const nowSecs = unixSecs(clock.nowMs())
    const before = noted.get(name)
    if (before !== undefined && Math.abs(nowSecs - before) < NOTE_SECS) return
    noted.delete(name)
    const [oldest] = noted.keys()
    if (noted.size >= MAX_SEEN && oldest !== undefined) noted.delete(oldest)
    noted.set(name, nowSecs)
    // Whoever looks at the panel need not wait for records that cannot be written at the moment.
    await store
      .notePanelName(name, nowSecs, MAX_SEEN)
      .catch((error: unknown) => log.warn('name not noted', { name, error: String(error) }))
  }

  /** Names of the hosts' links, where they are no addresses. */
  const hostNames = async (): Promise<string[]> =>
    (await store.listHosts())
      .map(({ address }) => address.slice(0, address.lastIndexOf(':')).toLowerCase())
      .filter(isName)

  return {
    async seen(origin) {
      const host = new URL(origin).hostname.replace(/\.$/, '')
      if (isName(host) && host !== 'localhost') await note(host)
      // Other instances know this machine's names by the store alone.
      for (const name of fixed.slice(1)) await note(name)
    },
    async assertFree(name, field, byAdministrator) {
      const sinceSecs = unixSecs(clock.nowMs()) - KEEP_SECS
      const others = [...(await store.panelNames(sinceSecs)), ...(await hostNames())]
      for (const taken of new Set([...fixed, ...noted.keys(), ...others])) {
        if (name === taken) {
          throw conflict(
            `${field} ${name} is a name of this server or its control panel. Use another name, or reach the panel under another one for a week.`,
            field,
          )
        }
        if (name === wildcardOf(taken)) {
          throw conflict(
            `${field} ${name} stands for ${taken} too, a name of this server or its control panel. Add names one by one, or reach the panel under another one for a week.`,
            field,
          )
        }
        const own = wildcardBase(name) ?? name
        const isBelow = own.endsWith(`.${taken}`) || (own === taken && own !== name)
        const related = isBelow || taken.endsWith(`.${own}`)
        if (related && (!byAdministrator || taken === 'localhost')) {
          throw conflict(
            `${field} ${name} lies above or below a name of this server or its control panel. Ask the administrator to add it.`,
            field,
          )
        }
      }
    },
  }
}
