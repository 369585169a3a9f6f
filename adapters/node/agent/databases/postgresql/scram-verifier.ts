import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { invalid } from '#handlers/errors.ts'

/** PostgreSQL's own default. */
const ITERATIONS = 4096

/** Characters that RFC 4013 drops or turns into a blank before it normalises. */
const MAPPED =
  /\u00AD|\u034F|\u1680|\u1806|[\u180B-\u180D]|[\u200B-\u200D]|\u2060|[\uFE00-\uFE0F]|\uFEFF/u

/** Whether the text is a verifier as the server keeps it, with no more work for a login than twenty times the usual. */
export const isScramVerifier = (text: string): boolean => {
  const match =
    /^SCRAM-SHA-256\$(\d{4,6}):[A-Za-z0-9+/]{8,88}={0,2}\$[A-Za-z0-9+/]{43}=:[A-Za-z0-9+/]{43}=$/.exec(
      text,
    )
  return match !== null && Number(match[1]) <= 20 * ITERATIONS
}

/**
 * What the server keeps of a password (RFC 5803, SCRAM-SHA-256), so that the
 * password itself never stands in a statement. 400 for one that clients prepare
 * differently (RFC 4013): some programs could not log in with it.
 */
export const scramVerifier = (password: string, salt: Uint8Array = randomBytes(16)): string => {
  if (password !== password.normalize('NFKC') || MAPPED.test(password))
    throw invalid(
      'db_password',
      'db_password holds characters that programs write in different ways (ligatures, full-width letters, invisible characters). Leave them out.',
    )
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  const salt64 = Buffer.from(salt).toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt64}$${storedKey}:${hmac('Server Key').toString('base64')}`
}
