import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { Log } from '#handlers/ports/log.ts'
import { dropInOf } from './install-drop-in.ts'
import { reloadSshd } from './reload-sshd.ts'
import { renderHead } from './render-drop-in.ts'
import { createSshdConfig } from './sshd-settings.ts'

/** Takes an installation's drop-in away, and lets sshd know; none is no error. */
export const removeDropIn = async (
  { sshd, configFile, owner }: { sshd: string; configFile: string; owner: string },
  log: Log,
): Promise<void> => {
  const file = dropInOf(configFile)
  if (!existsSync(file) || !readFileSync(file, 'utf8').startsWith(renderHead(owner))) return
  rmSync(file)
  try {
    const settings = await createSshdConfig(sshd, configFile).settings('root')
    await reloadSshd(settings, log)
  } catch (error) {
    log.warn('sshd was not told that its drop-in is gone', { error: String(error) })
  }
}
