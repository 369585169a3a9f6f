import { ExportError } from './export-manifest.ts'

/** A place of backups as the kit tells it: a heading and lines to copy from. */
export interface KitTarget {
  name: string
  /** `key: value`, secrets included. */
  lines: readonly string[]
}

/** All that a kit tells: whoever has it and an export has the whole panel. */
export interface RecoveryKit {
  /** `AGE-SECRET-KEY-1…`, opens exports. */
  identity: string
  /** Raw Ed25519 public key, base64url: whose exports these are. */
  proof: string
  /** Proves and opens the sealed part of the accounts' archives, hexadecimal; null: there is none yet. */
  archiveKey: string | null
  /** Opens the snapshots of accounts, hexadecimal; null: as above. */
  snapshotKey: string | null
  host: string
  /** UTC. */
  madeAt: string
  configFile: string
  targets: readonly KitTarget[]
}

/** What is read back from a kit, of which people may have typed the lines. */
export interface KitKeys {
  identity: string
  proof: string
}

const PROOF = 'BERTH-PROOF-'
const ARCHIVE_HEAD = 'Proves the archives of accounts, and opens what is sealed in them:'
const SNAPSHOT_HEAD = 'Opens the snapshots of accounts, also without Berth:'
const WIDTH = 78

const rule = '-'.repeat(WIDTH)

/** The kit as a text of plain characters that fits on paper. */
export const renderKit = (kit: RecoveryKit): string => {
  const targets = kit.targets.flatMap(({ name, lines }) => [
    `Backup target "${name}"`,
    ...lines.map((line) => `  ${line}`),
    '',
  ])
  const config = kit.configFile === '/etc/berth/berth.toml' ? '' : ` --config ${kit.configFile}`
  return `${[
    rule,
    `RECOVERY KIT of Berth on ${kit.host}`,
    `made ${kit.madeAt} UTC`,
    rule,
    '',
    'Print this, or keep it in a password manager; not on this server, and not',
    'beside the backups. Whoever has it and a panel export has the whole panel.',
    '',
    'Opens panel exports:',
    `  ${kit.identity}`,
    '',
    'Proves that an export is of this panel:',
    `  ${PROOF}${kit.proof}`,
    '',
    ...(kit.archiveKey === null ? [] : [ARCHIVE_HEAD, `  ${kit.archiveKey}`, '']),
    ...(kit.snapshotKey === null ? [] : [SNAPSHOT_HEAD, `  ${kit.snapshotKey}`, '']),
    ...(targets.length === 0
      ? ['No backup target is configured: backups are on this server alone.', '']
      : targets),
    rule,
    'BRINGING THE PANEL BACK, on an empty Debian, as root',
    '',
    "1. Get Berth's archive, the newest panel export and this text (as kit.txt) there.",
    '2. tar xzf berth.tar.gz && cd berth',
    `3. sh install.sh${config}`,
    `4. berth panel import ../panel.age --kit ../kit.txt${config}`,
    `5. berth service start${config}`,
    `6. berth backups restore-all${config}`,
    `7. Point the DNS records here, then: berth panel live${config}`,
    '',
    'An export is opened without Berth too, with the line AGE-SECRET-KEY-... alone',
    'in key.txt: age -d -i key.txt panel.age | tar xz',
    'Is this kit the right one? On the server: berth panel recovery-kit --verify kit.txt',
    rule,
  ].join('\n')}\n`
}

/**
 * The keys in a kit, wherever they stand in the text. Throws where one is missing,
 * or where there are several: then nobody knows which is meant.
 */
export const parseKit = (text: string): KitKeys => {
  const one = (pattern: RegExp, what: string): string => {
    const found = [...new Set([...text.matchAll(pattern)].map(([, key = '']) => key))]
    if (found.length === 1 && found[0] !== undefined) return found[0]
    throw new ExportError(
      found.length === 0
        ? `This is no whole recovery kit: ${what} is not in it.`
        : `There are several recovery kits in this text. Give one.`,
    )
  }
  return {
    identity: one(/\b(AGE-SECRET-KEY-1[0-9A-Z]{20,200})\b/g, 'the key that opens exports'),
    proof: one(/\bBERTH-PROOF-([\w-]{43})(?![\w-])/g, 'the key that proves exports'),
  }
}

/** Whether a kit holds a line, wherever it stands. */
export const isInKit = (text: string, line: string): boolean =>
  text.split(/\r?\n/).some((one) => one.trim() === line)

/** Lines of the targets that a kit lacks: it was made before they were configured so. */
export const missingInKit = (text: string, targets: readonly KitTarget[]): string[] => {
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim()))
  return targets
    .filter(({ lines: wanted }) => !wanted.every((line) => lines.has(line.trim())))
    .map(({ name }) => name)
}
