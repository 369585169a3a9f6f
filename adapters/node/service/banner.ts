import { networkInterfaces } from 'node:os'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'

/** Addresses at which a person can open what listens on `address`: the machine's own for a wildcard. */
export const reachableAt = (address: string): string[] => {
  const parsed = parseListenAddress(address)
  if (parsed === null) return []
  const { host, port, family } = parsed
  const show = (name: string): string => `${family === 6 ? `[${name}]` : name}:${port}`
  if (host !== '0.0.0.0' && host !== '::') return [show(host)]
  if (family === 6) return []
  const outside = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find((entry) => entry.family === 'IPv4' && !entry.internal)
  return [`localhost:${port}`, ...(outside ? [show(outside.address)] : [])]
}

/** What is printed once everything serves: where it is, and what to do next. */
export const renderBanner = (facts: {
  panel: string[]
  /** Whether the panel is served over TLS. */
  panelTls: boolean
  http: string[]
  https: string[]
  management: string[]
  configFile: string
  logDir: string
  firstStart: boolean
  /** The user that everything belongs to without root; null with root. */
  sharedUser: string | null
  startedInMs: number
}): string => {
  const urls = (scheme: string, addresses: string[]): string =>
    [...new Set(addresses.flatMap(reachableAt))].map((at) => `${scheme}://${at}`).join('  ')
  const scheme = facts.panelTls ? 'https' : 'http'
  const rows: [string, string][] = [
    ['Panel', urls(scheme, facts.panel)],
    ['Sites', [urls('http', facts.http), urls('https', facts.https)].filter(Boolean).join('  ')],
    ['Management', urls('http', facts.management)],
    ['Settings', facts.configFile],
    ['Logs', facts.logDir],
  ]
  const panel = facts.panel.flatMap(reachableAt)[0] ?? ''
  return [
    '',
    `Berth is running (ready in ${(facts.startedInMs / 1000).toFixed(1)} s).`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(12)}${value === '' ? 'none' : value}`),
    '',
    facts.firstStart
      ? `Next: open ${scheme}://${panel} and create the administrator.`
      : `Next: open ${scheme}://${panel} and log in.`,
    'Stop with Ctrl+C.',
    ...(facts.sharedUser === null
      ? []
      : [
          '',
          'Warning: started without root, so hosting accounts are not isolated from each other.',
          `Every site's files and PHP belong to the user ${facts.sharedUser}: each can read and change the others.`,
          'Use it for sites that trust each other; start it as root to host for others.',
        ]),
    '',
  ].join('\n')
}
