import { existsSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { RemoteTargetConfig, ServerConfig } from '#handlers/domain/config/config-types.ts'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'
import {
  isInKit,
  missingInKit,
  parseKit,
  renderKit,
  type KitTarget,
} from '#handlers/domain/recovery/kit-text.ts'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { kitFile, readKitRecord, type KitRecord } from '../../layout/recovery-files.ts'
import { readTargetFiles, targetsDirectory } from '../backups/targets/target-files.ts'
import { createKeyFiles } from '../backups/records/key-files.ts'
import { close, newKeyPair, open, recipientOf } from './format/age.ts'
import { fingerprintOf, proofOf, readRecipient, writeRecipient } from './format/recovery-keys.ts'
import { writeWhole } from '../../layout/write-whole.ts'

const secret = (file: string | null): string | null => {
  if (file === null) return null
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new ExportError(`${file}, which a backup target needs, cannot be read.`)
  }
}

const targetOf = (target: RemoteTargetConfig): KitTarget => {
  const values: [string, string | null][] = [
    ['type', target.type],
    ['endpoint', target.endpoint],
    ['bucket', target.bucket],
    ['path', target.path],
    ['region', target.region],
    ['username', target.username],
    ['host key', target.host_key],
    ['access key id', target.access_key_id],
    ['secret key', secret(target.secret_key_file)],
    ['password', secret(target.password_file)],
  ]
  const lines = values.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  const key = secret(target.private_key_file)
  return {
    name: target.name,
    lines: key === null ? lines : [...lines, 'private key:', ...key.split('\n')],
  }
}

/** Targets of both sources: whoever holds the kit must reach the backups at each. */
const kitTargets = ({ remote_target, paths }: ServerConfig): KitTarget[] => {
  const names = new Set(remote_target.map(({ name }) => name))
  const made = readTargetFiles(targetsDirectory(paths)).filter(({ name }) => !names.has(name))
  return [...remote_target, ...made].map(targetOf)
}

/** Keys of the accounts' archives and snapshots (docs/backup-format.md). */
const backupKey = ({ paths }: ServerConfig, what: 'archive' | 'snapshot'): string | null => {
  const file = join(paths.state_dir, 'agent', `${what}-keys`, 'own.key')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null
}

const record = (config: ServerConfig, kit: KitRecord): void =>
  writeWhole(kitFile(config.paths), `${JSON.stringify(kit)}\n`, { mode: 0o644 })

/**
 * Makes a recovery kit with new keys; exports from now on open with this one. Answers
 * its text, which is kept nowhere here. With a kit there already `renew` must be true:
 * the earlier one opens nothing that is made later.
 */
export const makeKit = async (config: ServerConfig, renew: boolean): Promise<string> => {
  const { paths } = config
  const before = readKitRecord(paths)
  if (before !== null && !renew)
    throw new ExportError(
      `A recovery kit was made at ${before.made_at} UTC. Its keys cannot be shown again. A new one (--new) opens the exports from then on; keep the old one for those that there are.`,
    )
  const targets = kitTargets(config)
  // Those that the first backup would make: a kit from before it must open that one, too.
  for (const what of ['archive', 'snapshot'] as const)
    await createKeyFiles(join(paths.state_dir, 'agent', `${what}-keys`), `${what}s`).own()
  const { identity, recipient } = await newKeyPair()
  const madeAt = timestamp(Date.now())
  const proof = proofOf(paths.secrets_dir)
  writeRecipient(paths.secrets_dir, recipient)
  record(config, {
    fingerprint: fingerprintOf(recipient, proof),
    made_at: madeAt,
    verified_at: null,
  })
  return renderKit({
    identity,
    proof,
    archiveKey: backupKey(config, 'archive'),
    snapshotKey: backupKey(config, 'snapshot'),
    host: os.hostname(),
    madeAt,
    configFile: config.file,
    targets,
  })
}

/** What a kit was found to be worth; throws where its keys are not those of this machine. */
export interface KitVerdict {
  made_at: string
  /** Backup targets that it does not tell, or tells otherwise. */
  missing_targets: string[]
  /** Whether it lacks a key of the accounts' archives or snapshots, which was made later. */
  lacks_archive_key: boolean
}

/** Opens with the kit what was closed as exports are, and notes that this worked. */
export const verifyKit = async (config: ServerConfig, text: string): Promise<KitVerdict> => {
  const { paths } = config
  const { identity, proof } = parseKit(text)
  const recipient = readRecipient(paths.secrets_dir)
  const known = readKitRecord(paths)
  if (recipient === null || known === null)
    throw new ExportError('This machine has no recovery kit yet: berth panel recovery-kit')
  const own = await recipientOf(identity).catch(() => null)
  if (own === null)
    throw new ExportError('The key AGE-SECRET-KEY-… in this kit has a mistake in it.')
  if (own !== recipient)
    throw new ExportError(
      'This kit is of another panel, or an earlier one of this: exports made now do not open with it.',
    )
  if (proof !== proofOf(paths.secrets_dir))
    throw new ExportError('The key BERTH-PROOF-… in this kit is not the one of this panel.')
  const sample = Buffer.from(`berth ${timestamp(Date.now())}`)
  const closed = await close(Readable.from([sample]), [{ recipient }])
  if (!(await buffer(await open(closed, { identity }))).equals(sample))
    throw new ExportError('What was closed for this kit does not open with it.')
  record(config, { ...known, verified_at: timestamp(Date.now()) })
  const keys = [backupKey(config, 'archive'), backupKey(config, 'snapshot')]
  return {
    made_at: known.made_at,
    missing_targets: missingInKit(text, kitTargets(config)),
    lacks_archive_key: keys.some((key) => key !== null && !isInKit(text, key)),
  }
}
