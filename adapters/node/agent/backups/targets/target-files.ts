import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { PathsConfig, RemoteTargetConfig } from '#handlers/domain/config/config-types.ts'
import { TARGET_PATTERNS } from '#handlers/domain/backups/target-rules.ts'
import type { TargetSecret, TargetSettings } from '#handlers/ports/host/backups/targets.ts'
import { syncFile, writeWhole } from '../../../layout/write-whole.ts'

/** Where targets that were set up in the panel are kept, with their secrets; root's alone. */
export const targetsDirectory = ({ state_dir }: Pick<PathsConfig, 'state_dir'>): string =>
  join(state_dir, 'agent', 'targets')

const SECRET_FILE = /^[a-z0-9-]{1,32}\.[0-9a-f]{16}\.secret$/
const line = z.string().nullable()

const fileSchema = z.strictObject({
  name: z.string().regex(TARGET_PATTERNS.name[0]),
  type: z.enum(['s3', 'sftp']),
  endpoint: z.string(),
  bucket: line,
  path: line,
  region: line,
  username: line,
  access_key_id: line,
  host_key: line,
  is_default: z.boolean(),
  allow_private: z.boolean(),
  secret: z.strictObject({
    kind: z.enum(['secret_key', 'password', 'private_key']),
    file: z.string().regex(SECRET_FILE),
  }),
})
type TargetFile = z.infer<typeof fileSchema>

const configOf = (directory: string, { secret, ...settings }: TargetFile): RemoteTargetConfig => {
  const fileFor = (kind: TargetSecret['kind']): string | null =>
    secret.kind === kind ? join(directory, secret.file) : null
  return {
    ...settings,
    secret_key_file: fileFor('secret_key'),
    password_file: fileFor('password'),
    private_key_file: fileFor('private_key'),
  }
}

/** What lies in the directory; throws for a file that is not as it was written. */
export const readTargetFiles = (directory: string): RemoteTargetConfig[] => {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
    return []
  }
  return names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(directory, name), 'utf8')
      return configOf(directory, fileSchema.parse(JSON.parse(text)))
    })
}

const secretFileOf = (target: RemoteTargetConfig): string | null =>
  target.secret_key_file ?? target.password_file ?? target.private_key_file

/** The targets that were set up in the panel; the agent alone writes them. */
export interface TargetFiles {
  list(): readonly RemoteTargetConfig[]
  /** Writes a secret that is not in use yet, and answers the target as it would be with it. */
  stage(settings: TargetSettings, secret: TargetSecret): RemoteTargetConfig
  /** Puts a target in the place of the one of that name, whose secret goes if it is another. */
  keep(target: RemoteTargetConfig): void
  /** Removes a staged secret that is not wanted after all. */
  drop(target: RemoteTargetConfig): void
  remove(name: string): void
}

/** Opens the directory; secrets that a crash left without a target go. */
export const createTargetFiles = (directory: string): TargetFiles => {
  let all: RemoteTargetConfig[] = readTargetFiles(directory)
  const fileOf = (name: string): string => join(directory, `${name}.json`)
  const ensure = (): void => void mkdirSync(directory, { recursive: true, mode: 0o700 })
  const removeSecret = (target: RemoteTargetConfig | undefined): void => {
    const file = target === undefined ? null : secretFileOf(target)
    if (file !== null) rmSync(file, { force: true })
  }
  const write = (target: RemoteTargetConfig): void => {
    const { secret_key_file, password_file, private_key_file, ...settings } = target
    const kind =
      secret_key_file !== null
        ? 'secret_key'
        : password_file !== null
          ? 'password'
          : private_key_file !== null && 'private_key'
    const file = (secretFileOf(target) ?? '').slice(directory.length + 1)
    const content = fileSchema.parse({ ...settings, secret: { kind, file } })
    writeWhole(fileOf(target.name), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    all = readTargetFiles(directory)
  }

  const used = new Set(all.map(secretFileOf))
  for (const name of all.length === 0 ? [] : readdirSync(directory))
    if (SECRET_FILE.test(name) && !used.has(join(directory, name)))
      rmSync(join(directory, name), { force: true })

  return {
    list: () => all,
    stage(settings, secret) {
      if (!TARGET_PATTERNS.name[0].test(settings.name)) throw new Error('no name of a target')
      ensure()
      const file = `${settings.name}.${randomBytes(8).toString('hex')}.secret`
      writeWhole(join(directory, file), `${secret.value.trim()}\n`, { mode: 0o600 })
      return configOf(directory, { ...settings, secret: { kind: secret.kind, file } })
    },
    keep(target) {
      ensure()
      const before = all.find(({ name }) => name === target.name)
      for (const other of all)
        if (target.is_default && other.is_default && other.name !== target.name)
          write({ ...other, is_default: false })
      write(target)
      if (before && secretFileOf(before) !== secretFileOf(target)) removeSecret(before)
    },
    drop: removeSecret,
    remove(name) {
      const before = all.find((one) => one.name === name)
      if (!before) return
      rmSync(fileOf(name), { force: true })
      removeSecret(before)
      syncFile(directory)
      all = readTargetFiles(directory)
    },
  }
}
