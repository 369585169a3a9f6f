import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Shorter keys are refused: HS256 wants at least as many bytes as its hash has. */
const MIN_LENGTH = 32

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
const exists = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Writes a random key whole before it appears under its name; the first of two writers wins. */
const createSecret = (file: string): void => {
  const temporary = `${file}.${process.pid}`
  rmSync(temporary, { force: true })
  writeFileSync(temporary, `${randomBytes(32).toString('base64url')}\n`, {
    mode: 0o600,
    flag: 'wx',
  })
  try {
    linkSync(temporary, file)
  } catch (error) {
    if (!exists(error)) throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/**
 * The key that signs sessions, `<secrets_dir>/panel-jwt.key`. The supervisor
 * makes it with the panel as its owner; where none did, the panel makes it (0600).
 */
export const readJwtSecret = (secretsDir: string): string => {
  const file = join(secretsDir, 'panel-jwt.key')
  const read = () => readFileSync(file, 'utf8').trim()
  let secret: string
  try {
    secret = read()
  } catch (error) {
    if (!isMissing(error)) throw error
    createSecret(file)
    secret = read()
  }
  if (secret.length < MIN_LENGTH) {
    throw new Error(
      `${file} holds fewer than ${MIN_LENGTH} characters. Remove it and start again: a new key is made, and everybody logs in anew.`,
    )
  }
  return secret
}
