import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { PathsConfig, ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { PanelImport, RecoveryFacts } from '#handlers/ports/recovery.ts'
import { listUnconfirmed } from './unconfirmed.ts'

type Paths = Pick<PathsConfig, 'state_dir'>

/**
 * Stands from an import until somebody says that this machine is the live one: while
 * the old one may still run, two would renew certificates, prune backups and run jobs.
 */
export const heldFile = ({ state_dir }: Paths): string => join(state_dir, 'not-live.json')

/** Whether duties that only one machine may have wait. */
export const isHeld = (paths: Paths): boolean => existsSync(heldFile(paths))

/** What is known of the recovery kit; no secret. */
export const kitFile = ({ state_dir }: Paths): string => join(state_dir, 'recovery-kit.json')

/** Root's alone: what imports keep. */
export const recoveryDirectory = ({ state_dir }: Paths): string => join(state_dir, 'recovery')

/** Accounts whose homes and databases the last import of the panel made, empty; no secret. */
export const importedFile = ({ state_dir }: Paths): string => join(state_dir, 'imported.json')

const importedSchema = z.object({
  id: z.string(),
  at: z.string(),
  accounts: z.array(z.string()),
}) satisfies z.ZodType<PanelImport>

/** Null where none was brought back; throws when it cannot be read, so that nobody takes empty accounts for whole. */
export const readImported = (paths: Paths): PanelImport | null => {
  const file = importedFile(paths)
  return existsSync(file) ? importedSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
}

const kitSchema = z.object({
  /** Of the keys; another kit has another one. */
  fingerprint: z.string(),
  made_at: z.string(),
  verified_at: z.string().nullable(),
})
export type KitRecord = z.infer<typeof kitSchema>

/** Null before the first kit was made. */
export const readKitRecord = (paths: Paths): KitRecord | null => {
  const file = kitFile(paths)
  return existsSync(file) ? kitSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
}

/** When the panel was exported last. */
export const lastExportFile = ({ state_dir }: Paths): string =>
  join(state_dir, 'recovery-export.json')

const exportSchema = z.object({ made_at: z.string() })

/** What `read` tells; null where it cannot. */
const tried = <T>(read: () => T): T | null => {
  try {
    return read()
  } catch {
    return null
  }
}

const readLastExport = (paths: Paths): string | null => {
  const file = lastExportFile(paths)
  if (!existsSync(file)) return null
  return exportSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).made_at
}

/** What doctor and panel tell of; an unreadable record counts as none. */
export const readRecoveryFacts = (
  config: Pick<ServerConfig, 'file' | 'hooks' | 'include' | 'paths'>,
): RecoveryFacts => {
  const { paths } = config
  const kit = tried(() => readKitRecord(paths))
  const waiting = tried(() => listUnconfirmed(config))
  return {
    held: isHeld(paths),
    imported: readImported(paths),
    kitMadeAt: kit?.made_at ?? null,
    kitVerifiedAt: kit?.verified_at ?? null,
    exportedAt: tried(() => readLastExport(paths)),
    hooksWaiting: waiting?.hooks.length ?? 0,
    hostsWaiting: waiting?.hosts.reduce((sum, { count }) => sum + count, 0) ?? 0,
  }
}
