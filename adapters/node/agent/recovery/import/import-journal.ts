import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { PathsConfig } from '#handlers/domain/config/config-types.ts'
import {
  ExportError,
  manifestText,
  parseExportManifest,
  type ExportManifest,
} from '#handlers/domain/recovery/export-manifest.ts'
import { recoveryDirectory } from '../../../layout/recovery-files.ts'
import { writeWhole } from '../../../layout/write-whole.ts'

const stateSchema = z.object({
  /** Of the export, so that an import goes on with no other. */
  sha256: z.string(),
  begun_at: z.string(),
  files: z.record(z.string(), z.string()),
  /** Names of steps that are over and are not done again. */
  done: z.array(z.string()),
  skipped: z.array(z.string()),
})
type State = z.infer<typeof stateSchema>

/** An import that is under way: what was proved of the export, and how far it is. */
export interface ImportJournal {
  manifest: ExportManifest
  /** Files of the export by their names. */
  files: ReadonlyMap<string, string>
  readonly isBegun: boolean
  isDone(step: string): boolean
  /** Written down before it answers. */
  markDone(step: string): void
  /** Notes what this machine could not take, once. */
  skip(what: string): void
  skipped(): readonly string[]
}

const BEGUN = 'begun'

/** Where the content of an export lies until it is in its place; root's alone. */
export const importDirectory = (paths: PathsConfig): string =>
  join(recoveryDirectory(paths), 'import')

/** What the last import came to, beside its directory. */
export const IMPORT_REPORT = 'import-report.json'

const STATE = 'state.json'
const MANIFEST = 'manifest.json'

const open = (directory: string, manifest: ExportManifest, state: State): ImportJournal => {
  const write = (): void =>
    writeWhole(join(directory, STATE), `${JSON.stringify(state)}\n`, { mode: 0o600 })
  return {
    manifest,
    files: new Map(Object.entries(state.files)),
    get isBegun() {
      return state.done.includes(BEGUN)
    },
    isDone: (step) => state.done.includes(step),
    markDone(step) {
      if (state.done.includes(step)) return
      state.done.push(step)
      write()
    },
    skip(what) {
      if (state.skipped.includes(what)) return
      state.skipped.push(what)
      write()
    },
    skipped: () => state.skipped,
  }
}

/** Notes that checks are over and the machine is being changed. */
export const markBegun = (journal: ImportJournal): void => journal.markDone(BEGUN)

/**
 * The import that broke off, if there is one of this very file; null: there is none.
 * Throws for one of another file whose import has begun to change the machine.
 */
export const resumeImport = (paths: PathsConfig, sha256: string): ImportJournal | null => {
  const directory = importDirectory(paths)
  if (!existsSync(join(directory, STATE))) return null
  const state = stateSchema.parse(JSON.parse(readFileSync(join(directory, STATE), 'utf8')))
  if (state.sha256 === sha256)
    return open(
      directory,
      parseExportManifest(readFileSync(join(directory, MANIFEST), 'utf8')),
      state,
    )
  if (!state.done.includes(BEGUN)) return null
  throw new ExportError(
    `The import of another file broke off on this machine (${state.begun_at}). Finish it with that file; or, to give it up, remove ${directory}.`,
  )
}

/** An empty place for the content of an export. */
export const prepareImport = (paths: PathsConfig): string => {
  const directory = importDirectory(paths)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(recoveryDirectory(paths), { recursive: true, mode: 0o700 })
  mkdirSync(join(directory, 'files'), { recursive: true, mode: 0o700 })
  return join(directory, 'files')
}

/** Writes down that an export lies there whole and proved. */
export const startJournal = (
  paths: PathsConfig,
  begunAt: string,
  found: { sha256: string; manifest: ExportManifest; files: ReadonlyMap<string, string> },
): ImportJournal => {
  const directory = importDirectory(paths)
  writeWhole(join(directory, MANIFEST), manifestText(found.manifest), { mode: 0o600 })
  const state: State = {
    sha256: found.sha256,
    begun_at: begunAt,
    files: Object.fromEntries(found.files),
    done: [],
    skipped: [],
  }
  writeWhole(join(directory, STATE), `${JSON.stringify(state)}\n`, { mode: 0o600 })
  return open(directory, found.manifest, state)
}

/** Removes what an import needed, secrets first of all. */
export const endImport = (paths: PathsConfig): void => {
  rmSync(join(importDirectory(paths), 'files'), { recursive: true, force: true })
  rmSync(importDirectory(paths), { recursive: true, force: true })
}
