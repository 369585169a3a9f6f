import { createHash, randomBytes } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crypto } from 'acme-client'
import { codeOf } from '../../layout/error-code.ts'

const missing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/**
 * The account key for an authority (PEM, P-256), made when first asked for and
 * kept from then on: limits and authorizations are the account's. Root's alone.
 */
export const readAccountKey = async (directory: string, acmeDirectory: string): Promise<string> => {
  const name = createHash('sha256').update(acmeDirectory).digest('hex').slice(0, 32)
  const file = join(directory, `${name}.key`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (!missing(error)) throw error
  }
  const temporary = join(directory, `.${randomBytes(8).toString('hex')}.new`)
  const handle = await open(temporary, 'wx', 0o600)
  try {
    await handle.writeFile(await crypto.createPrivateEcdsaKey('P-256'))
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    // Unlike a rename this leaves a key that another order has just made.
    await link(temporary, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  return readFile(file, 'utf8')
}
