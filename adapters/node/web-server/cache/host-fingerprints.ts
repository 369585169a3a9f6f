import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { HostChanges } from '../workers/messages.ts'

/**
 * What the stored pages were made from, kept beside them: a host that was
 * removed, suspended or changed while the web server did not run must not come
 * back with its old pages, nor give them to a new owner of its name.
 */
export interface HostFingerprints {
  /** Takes the hosts of a start; answers the names whose stored pages must go. */
  begin(hosts: readonly VirtualHostConfig[]): string[]
  /** Notes a reload. */
  apply(changes: HostChanges): void
}

/** Names of a host and a digest of what its pages depend on. */
type Fingerprint = readonly [digest: string, ...names: string[]]

const fingerprintOf = (host: VirtualHostConfig): Fingerprint => {
  const relevant = { ...host, ssl_certificate: null, ssl_certificate_key: null }
  const digest = createHash('sha256').update(JSON.stringify(relevant)).digest('base64url')
  return [digest.slice(0, 22), host.domain, ...host.aliases]
}

const isFingerprint = (value: unknown): value is Fingerprint =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')

/** Null when there is no usable file. */
const read = (file: string): Map<string, Fingerprint> | null => {
  try {
    const all: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof all !== 'object' || all === null) return null
    const entries = Object.entries(all)
    if (!entries.every((entry): entry is [string, Fingerprint] => isFingerprint(entry[1]))) {
      return null
    }
    return new Map(entries)
  } catch {
    return null
  }
}

/** Keeps `hosts.json` beside the pages in `pagesFile`. */
export const createHostFingerprints = (pagesFile: string, log: Log): HostFingerprints => {
  const file = join(dirname(pagesFile), 'hosts.json')
  let current = new Map<string, Fingerprint>()
  const save = (): void => {
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(current)), { mode: 0o600 })
      renameSync(`${file}.new`, file)
    } catch (error) {
      log.warn('the list of cached hosts cannot be written', { file, error: String(error) })
    }
  }
  return {
    begin: (hosts) => {
      const before = read(file)
      current = new Map(hosts.map((host) => [host.domain, fingerprintOf(host)]))
      const purge = new Set<string>()
      const names = ([, ...all]: Fingerprint): void => all.forEach((name) => purge.add(name))
      for (const [domain, now] of current) {
        const then = before?.get(domain)
        if (then?.[0] !== now[0]) names(now)
      }
      for (const [domain, then] of before ?? []) {
        if (current.get(domain)?.[0] !== then[0]) names(then)
      }
      save()
      return [...purge]
    },
    apply: ({ put, removed }) => {
      if (put.length === 0 && removed.length === 0) return
      for (const domain of removed) current.delete(domain)
      for (const host of put) current.set(host.domain, fingerprintOf(host))
      save()
    },
  }
}
