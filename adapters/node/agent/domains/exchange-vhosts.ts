import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import type { Registry } from '../registry/types.ts'
import type { RenderedHost } from './check-spec.ts'
import type { VhostFiles } from './vhost-files.ts'

/** Hosts looked at between two turns of the event loop: others wait for the agent too. */
export const HOSTS_A_TURN = 200
const WRITES_AT_ONCE = 8

/**
 * Sets records and files to `hosts` (null removes one) and touches only what
 * differs: ten thousand hosts are looked at where a hundred are written. Answers
 * how many files changed and how to put everything back; what fails half-way has
 * been put back before it rejects.
 */
export const exchangeVhosts = async (
  registry: Pick<Registry, 'vhost' | 'changeVhosts'>,
  files: VhostFiles,
  hosts: ReadonlyMap<string, RenderedHost | null>,
): Promise<{ counts: { written: number; removed: number }; rollBack: () => Promise<void> }> => {
  const before = new Map<string, { spec: VirtualHostSpec | null; text: string | null }>()
  const texts: [string, string | null][] = []
  let seen = 0
  for (const [domain, host] of hosts) {
    if (++seen % HOSTS_A_TURN === 0) await setImmediate()
    const was = { spec: registry.vhost(domain), text: files.read(domain) }
    const text = host?.text ?? null
    if (was.text !== text) texts.push([domain, text])
    else if (isDeepStrictEqual(was.spec, host?.spec ?? null)) continue
    before.set(domain, was)
  }
  const record = (specs: [string, VirtualHostSpec | null][]): void =>
    registry.changeVhosts(
      specs.flatMap(([, spec]) => (spec ? [spec] : [])),
      specs.flatMap(([domain, spec]) => (spec ? [] : [domain])),
    )
  const setFiles = async (changed: readonly [string, string | null][]): Promise<void> => {
    for (let first = 0; first < changed.length; first += WRITES_AT_ONCE) {
      const group = changed.slice(first, first + WRITES_AT_ONCE)
      // All of a group have ended before anything is put back.
      const ended = await Promise.allSettled(group.map(([domain, text]) => files.set(domain, text)))
      for (const one of ended) if (one.status === 'rejected') throw one.reason
    }
  }
  const rollBack = async (): Promise<void> => {
    record([...before].map(([domain, { spec }]) => [domain, spec]))
    const changed = new Set(texts.map(([domain]) => domain))
    await setFiles(
      [...before].flatMap(([domain, { text }]) => (changed.has(domain) ? [[domain, text]] : [])),
    )
  }
  try {
    // Records first: the web server may ask for a host's PHP as soon as it has loaded it.
    record([...before.keys()].map((domain) => [domain, hosts.get(domain)?.spec ?? null]))
    await setFiles(texts)
  } catch (error) {
    await rollBack()
    throw error
  }
  const removed = texts.filter(([, text]) => text === null).length
  return { counts: { written: texts.length - removed, removed }, rollBack }
}
