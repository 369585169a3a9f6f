import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderDefaultConfig } from '#handlers/domain/config/template.ts'
import type { Identities } from '../process/identities.ts'

const TOKEN_KEY = /^# setup_token_file = "setup\.token"/m

/**
 * Writes the commented defaults where there is no configuration yet, with a
 * setup token: a new machine is reachable before its owner has opened the panel,
 * and whoever comes first would become its administrator. Answers whether it wrote.
 */
export const writeFirstConfig = (file: string, who: Identities): boolean => {
  if (existsSync(file)) return false
  const directory = dirname(file)
  mkdirSync(directory, { recursive: true, mode: 0o755 })
  const tokenFile = join(directory, 'setup.token')
  const text = renderDefaultConfig({ root: true })
  if (!TOKEN_KEY.test(text)) throw new Error('The default configuration knows no setup_token_file.')
  if (!existsSync(tokenFile)) {
    writeFileSync(tokenFile, `${randomBytes(12).toString('hex')}\n`, { mode: 0o640, flag: 'wx' })
    if (who.panel !== null) chownSync(tokenFile, 0, who.panel.gid)
  }
  writeFileSync(file, text.replace(TOKEN_KEY, 'setup_token_file = "setup.token"  '), {
    mode: 0o640,
    flag: 'wx',
  })
  return true
}

/** The token that the first setup asks for; null when it asks for none. */
export const readToken = (file: string | null): string | null =>
  file !== null && existsSync(file) ? readFileSync(file, 'utf8').trim() : null
