import { wildcardBase, wildcardOf } from '../domain/domains/wildcard-name.ts'
import { conflict } from '../errors.ts'

/** Names under which the panel is reached, which no site may have: cookies ignore ports. */
export interface PanelNames {
  /** Remembers the name in an origin (`https://panel.example.com:8443`) that an administrator uses. */
  seen(origin: string): void
  /**
   * Throws 409 for a name of the panel or the machine. Tenants are also refused
   * what lies above or below one, for it could set the panel's cookies; an
   * administrator may well host the domain that the panel's name belongs to.
   */
  assertFree(name: string, field: string, byAdministrator: boolean): void
}

const MAX_SEEN = 32

const isName = (host: string): boolean => {
  const label = host.slice(host.lastIndexOf('.') + 1)
  return /^[a-z0-9-]+$/.test(label) && /[a-z]/.test(label)
}

/** `own`: names of the machine, in any case. `localhost` is always one. */
export const createPanelNames = (own: readonly string[]): PanelNames => {
  const fixed = ['localhost', ...own.map((name) => name.toLowerCase().replace(/\.$/, ''))]
  const seen = new Set<string>()
  return {
    seen(origin) {
      const host = new URL(origin).hostname.replace(/\.$/, '')
      if (!isName(host) || seen.has(host)) return
      const [oldest] = seen
      if (seen.size >= MAX_SEEN && oldest !== undefined) seen.delete(oldest)
      seen.add(host)
    },
    assertFree(name, field, byAdministrator) {
      for (const taken of [...fixed.filter(isName), ...seen]) {
        if (name === taken) {
          throw conflict(
            `${field} ${name} is a name of this server or its control panel. Use another name, or reach the panel under another one.`,
            field,
          )
        }
        if (name === wildcardOf(taken)) {
          throw conflict(
            `${field} ${name} stands for ${taken} too, a name of this server or its control panel. Add names one by one, or reach the panel under another one.`,
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
