import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What this panel is called among those that share its store, `<state_dir>/panel/instance-id`:
 * the same after a restart, so that what an earlier process held is its own. Made where it is not.
 */
export const readInstanceId = (stateDir: string): string => {
  const file = join(stateDir, 'panel', 'instance-id')
  try {
    writeFileSync(file, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const id = readFileSync(file, 'utf8').trim()
  if (!/^[0-9a-f-]{36}$/.test(id))
    throw new Error(`${file} holds no id. Remove it and start again: a new one is made.`)
  return id
}
