import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { parseStoreUrl } from '#handlers/domain/config/store-url.ts'

/** What belongs to a URL and does not stand in it. */
export interface StoreFiles {
  passwordFile: string | null
  caFile: string | null
}

export const NO_FILES: StoreFiles = { passwordFile: null, caFile: null }

const OTHERS = 0o077
/** Root's may be readable by the group that the panel's user is in. */
const OTHERS_OF_ROOTS = 0o037

/** The password in a file that nobody else may read. Throws a sentence for the administrator. */
export const readStorePassword = (file: string): string => {
  const fd = openSync(file, 'r')
  try {
    const { uid, mode } = fstatSync(fd)
    const own = process.geteuid?.() ?? 0
    if (uid !== 0 && uid !== own)
      throw new Error(
        `${file} (store_password_file) belongs to neither the panel's user nor root. Make it the panel user's own.`,
      )
    if ((mode & (uid === 0 && own !== 0 ? OTHERS_OF_ROOTS : OTHERS)) !== 0)
      throw new Error(
        `${file} (store_password_file) may be read by others. Close it: chmod 600 ${file}`,
      )
    const password = readFileSync(fd, 'utf8').replace(/\r?\n$/, '')
    if (password === '')
      throw new Error(`${file} (store_password_file) is empty. Write the password into it.`)
    return password
  } finally {
    closeSync(fd)
  }
}

/**
 * How `pg` reaches a store: nothing of it comes from the environment or from `~/.pgpass`, and TLS
 * is what the URL says.
 *
 * @param url see `parseStoreUrl`
 */
export const connectionOf = (url: string, { passwordFile, caFile }: StoreFiles): ClientConfig => {
  const address = parseStoreUrl(url)
  if (typeof address === 'string') throw new Error(`store ${address}`)
  const { tls, ...server } = address
  return {
    ...server,
    ssl: tls
      ? { rejectUnauthorized: true, ...(caFile === null ? {} : { ca: readFileSync(caFile) }) }
      : false,
    // Asked for at each connection, so that a new one needs no restart.
    password: () => {
      if (passwordFile === null)
        throw new Error('the server asks for a password: name its file as store_password_file')
      return readStorePassword(passwordFile)
    },
  }
}
