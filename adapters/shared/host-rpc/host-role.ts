import { HOST_METHODS } from './methods.ts'

/** What a machine is for: accounts live on a `host`; a `front` only answers visitors. */
export type HostRole = 'host' | 'front'

/** Ports of a front; it has no accounts, so nothing else is there to be asked. */
const OF_A_FRONT: readonly string[] = [
  'webServer',
  'frontSites',
  'webChannel',
  'pageCache',
  'system',
  'inspection',
  'logs',
]

const allMethods = (): string[] =>
  Object.entries(HOST_METHODS).flatMap(([port, methods]) =>
    Object.keys(methods).map((method) => `${port}/${method}`),
  )

const ASKED: Readonly<Record<HostRole, ReadonlySet<string>>> = {
  host: new Set(allMethods().filter((name) => !name.startsWith('frontSites/'))),
  front: new Set(allMethods().filter((name) => OF_A_FRONT.includes(name.split('/')[0] ?? ''))),
}

/** Whether a machine of the role may be asked for `<port>/<method>`, under whichever signature. */
export const mayBeAsked = (role: HostRole, method: string): boolean => ASKED[role].has(method)
