import { canonicalJson } from '../../domain/text/canonical-json.ts'
import type { HostInspection } from '../../ports/host/inspection.ts'
import type { Diagnosis } from './finding.ts'
import type { Records } from './records.ts'

const REGENERATE = {
  fix: 'Writes all virtual hosts anew from the records and reloads the web server.',
  repair: { do: 'regenerate' },
} as const

/** Virtual hosts: the records of both sides, and the generated files. */
export const compareVirtualHosts = (records: Records, host: HostInspection): Diagnosis[] => {
  const found: Diagnosis[] = []
  const add = (subject: string, username: string | null, what: string): void =>
    void found.push({ kind: 'virtual-host', subject, what, username, ...REGENERATE })
  const there = new Map(host.virtualHosts.map((one) => [one.spec.domain, one]))
  const wanted = new Set(records.virtualHosts.map(({ domain }) => domain))
  // A site of an account that the host lost cannot be written; the account itself is reported.
  const known = new Set(host.accounts.map(({ username }) => username))

  for (const spec of records.virtualHosts.filter(({ username }) => known.has(username))) {
    const found = there.get(spec.domain)
    if (found === undefined)
      add(spec.domain, spec.username, 'is a site of the panel that the web server does not have')
    else if (found.file === 'missing') add(spec.domain, spec.username, 'has no file any more')
    else if (found.file === 'changed')
      add(spec.domain, spec.username, 'has a file that was changed by hand')
    else if (canonicalJson(found.spec) !== canonicalJson(spec))
      add(spec.domain, spec.username, 'is served with other settings than the panel has')
  }
  for (const { spec } of host.virtualHosts)
    if (!wanted.has(spec.domain))
      add(spec.domain, spec.username, 'is served, but the panel has no such site')
  for (const name of host.strayVirtualHostFiles)
    add(name, null, 'lies among the generated files and is of no site')
  return found
}

/** Databases and certificates. */
export const compareHosting = (records: Records, host: HostInspection): Diagnosis[] => {
  const found: Diagnosis[] = []
  const keyOf = (row: { engine: string; database: string }) => `${row.engine}:${row.database}`
  const recorded = new Map(
    records.databases.map((row) => [
      keyOf({ engine: row.engine, database: row.database_name }),
      row,
    ]),
  )
  const accounts = new Map(records.accounts.map((row) => [row.username, row]))
  const known = new Map(host.databases.map((row) => [keyOf(row), row]))

  for (const [key, row] of recorded) {
    const there = known.get(key)
    if (there !== undefined && there.present !== false) continue
    found.push({
      kind: 'database',
      subject: row.database_name,
      what:
        there === undefined
          ? 'is a database of the panel of which the host knows nothing'
          : 'is not in its database server any more',
      fix: `Delete it in the panel, then create it again or restore it from a backup of ${row.username}.`,
      repair: null,
      username: row.username,
    })
  }
  for (const [key, row] of known) {
    const account = accounts.get(row.username)
    // With the account, its databases are found and removed.
    if (account === undefined) continue
    if (!recorded.has(key))
      found.push({
        kind: 'database',
        subject: row.database,
        what: `was made by this installation for ${row.username}, but is not in the panel`,
        fix: 'Enters it in the panel, where it can be deleted if nobody wants it.',
        repair: { do: 'adopt-database', database: row },
        username: row.username,
      })
    else if (row.locked !== (account.status === 'suspended'))
      found.push({
        kind: 'database',
        subject: row.database,
        what: row.locked
          ? 'is locked, though its account is active'
          : 'is open, though its account is suspended',
        fix: row.locked
          ? "Opens the logins of the account's databases."
          : "Locks the logins of the account's databases.",
        repair: { do: 'lock-databases', username: row.username },
        username: row.username,
      })
  }

  const rows = new Map(records.certificates.map((row) => [row.domain, row]))
  const kept = new Map(host.certificates.map((one) => [one.domain, one]))
  const ownerOf = (id: number | null): string | null =>
    records.accounts.find((row) => row.id === id)?.username ?? null
  for (const row of records.certificates) {
    if (kept.get(row.domain)?.versions.includes(row.version)) continue
    found.push({
      kind: 'certificate',
      subject: row.domain,
      what: 'has a certificate in the panel whose files are gone',
      fix: 'Remove the certificate in the panel and issue or install it again.',
      repair: null,
      username: ownerOf(row.account_id),
    })
  }
  for (const { domain, username, recorded: isRecorded } of kept.values()) {
    if (rows.has(domain)) continue
    found.push({
      kind: 'certificate',
      subject: domain,
      what: isRecorded
        ? 'has certificate files, but no certificate in the panel'
        : 'has certificate files that this installation did not make',
      fix: isRecorded
        ? 'Removes the files.'
        : 'Move that directory out of the certificate directory.',
      repair: isRecorded ? { do: 'prune-certificate', username, domain } : null,
      username,
    })
  }
  return found
}
