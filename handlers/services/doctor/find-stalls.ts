import type { WorkerStall } from '../../ports/host/web/worker-stall.ts'
import type { Diagnosis } from './finding.ts'

const what = (stalls: readonly WorkerStall[]): string => {
  const { at, method, target } = stalls.at(-1) ?? {}
  const times = stalls.length === 1 ? 'once' : `${stalls.length} times`
  const held = stalls.some((one) => one.held)
    ? '; what did it is answered with 503 until it changes'
    : ''
  return `held up a worker of the web server ${times} within a day, last at ${at} by ${method} ${target}${held}`
}

/** Sites that held up workers of the web server, and workers that were ended for no site's request. */
export const findStalls = (stalls: readonly WorkerStall[]): Diagnosis[] => {
  const found: Diagnosis[] = []
  const bySite = new Map<string, WorkerStall[]>()
  for (const stall of stalls) {
    if (stall.site === null) continue
    const ofSite = bySite.get(stall.site)
    if (ofSite === undefined) bySite.set(stall.site, [stall])
    else ofSite.push(stall)
  }
  for (const [subject, ofSite] of bySite)
    found.push({
      kind: 'stall',
      subject,
      what: what(ofSite),
      fix: ofSite.some(({ part }) => part === 'rules')
        ? "Look at the site's .htaccess files and its own rules: they are followed again once they are changed."
        : "Look at what the address leads to. It is answered again once the site's settings are changed.",
      repair: null,
      username: null,
    })
  const others = stalls.filter(({ site, ended }) => site === null && ended)
  if (others.length > 0)
    found.push({
      kind: 'stall',
      subject: 'the web server',
      what: `ended ${others.length} of its workers within a day, for they did not answer, last at ${others.at(-1)?.at}`,
      fix: "Look into the web server's log at that time, and whether the machine has processors and memory enough.",
      repair: null,
      username: null,
    })
  return found
}
