import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Token of the management API. The supervisor writes the file; where there is
 * none (started by hand) a random one is made.
 */
export const managementToken = (runDir: string): string => {
  const file = join(runDir, 'management.token')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const token = randomBytes(32).toString('base64url')
  writeFileSync(file, `${token}\n`, { mode: 0o640, flag: 'wx' })
  return token
}
