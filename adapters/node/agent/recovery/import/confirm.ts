import { lstatSync, readFileSync, renameSync, rmdirSync, statSync } from 'node:fs'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'
import { hostsOn, OFF } from '#handlers/domain/recovery/switch-off.ts'
import { createConfigLoader } from '../../../config/config-loader.ts'
import { describeProblem } from '#handlers/domain/config/describe.ts'
import {
  filesBelow,
  hooksOff,
  listUnconfirmed,
  type Unconfirmed,
} from '../../../layout/unconfirmed.ts'
import { writeWhole } from '../../../layout/write-whole.ts'

/** Puts hooks where they are run from. Answers them. */
export const confirmHooks = (config: ServerConfig): string[] => {
  const { hooks } = listUnconfirmed(config)
  if (hooks.length === 0) return []
  const { directory } = config.hooks
  if (lstatSync(directory, { throwIfNoEntry: false }) !== undefined)
    try {
      rmdirSync(directory)
    } catch (error) {
      throw new ExportError(
        `${directory} has hooks of its own. Move those of ${hooksOff(config)} there by hand.`,
        { cause: error },
      )
    }
  renameSync(hooksOff(config), directory)
  return filesBelow(directory)
}

/**
 * Switches virtual hosts by hand on again, in all files or none: a configuration with
 * which the web server would not load is refused.
 */
export const confirmHosts = async (config: ServerConfig): Promise<Unconfirmed['hosts']> => {
  const { hosts } = listUnconfirmed(config)
  const before = new Map(hosts.map(({ file }) => [file, readFileSync(file, 'utf8')]))
  const write = (file: string, text: string): void => {
    const { mode, uid, gid } = statSync(file)
    writeWhole(file, text, { mode: mode & 0o777, owner: { uid, gid } })
  }
  for (const [file, text] of before) write(file, hostsOn(text))
  const loaded = await createConfigLoader(config.file, { generatedHosts: 'optional' }).load()
  if (loaded.ok) return hosts
  for (const [file, text] of before) write(file, text)
  throw new ExportError(
    `The virtual hosts by hand do not fit this machine and stay off (lines that begin with ${OFF.trim()}):\n${loaded.problems.map((problem) => `  ${describeProblem(problem)}`).join('\n')}`,
  )
}
