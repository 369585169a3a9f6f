import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import {
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import path from 'node:path'
import type { RunAs } from '../../../process/as-user.ts'

/** PEM texts that belong together. */
export interface ServerPair {
  /** Leaf first. */
  cert: string
  key: string
  /** Whether it is Berth's own, which clients know by its fingerprint alone. */
  own: boolean
}

/** How a database server listens for other machines. */
export interface RemoteListener {
  port: number
  /** Where the server reads them; always two of one pair. */
  certificate: string
  key: string
  /** Lays the present pair there; answers whether it is another one than before. */
  lay(): Promise<boolean>
}

/** Throws unless the key is that of the certificate. */
export const requirePair = ({ cert, key }: Pick<ServerPair, 'cert' | 'key'>): X509Certificate => {
  const leaf = new X509Certificate(cert)
  if (!leaf.checkPrivateKey(createPrivateKey(key)))
    throw new Error('certificate and key do not belong together')
  return leaf
}

const writeOwned = async (
  file: string,
  text: string,
  mode: number,
  runAs: RunAs | null,
): Promise<void> => {
  const handle = await open(file, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (runAs !== null) await chown(file, runAs.uid, runAs.gid)
}

const CURRENT = 'current'

/**
 * A pair where a server's own user reads it. Each pair has a directory of its own, and the one
 * that counts is changed by a link: a server that starts at any moment reads two that fit.
 */
export const layPair = async (
  directory: string,
  runAs: RunAs | null,
  pair: ServerPair,
): Promise<boolean> => {
  requirePair(pair)
  const name = createHash('sha256').update(pair.cert).update(pair.key).digest('hex').slice(0, 32)
  const link = path.join(directory, CURRENT)
  const before = await readlink(link).catch(() => null)
  if (before === name) return false
  // The server's own user passes, whatever our mask is.
  await mkdir(directory, { recursive: true })
  await Promise.all([path.dirname(directory), directory].map((one) => chmod(one, 0o711)))
  const fresh = path.join(directory, name)
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh)
  await chmod(fresh, 0o711)
  await writeOwned(path.join(fresh, 'tls.crt'), pair.cert, 0o644, null)
  await writeOwned(path.join(fresh, 'tls.key'), pair.key, 0o600, runAs)
  await rm(`${link}.new`, { force: true })
  await symlink(name, `${link}.new`)
  await rename(`${link}.new`, link)
  for (const other of await readdir(directory))
    if (
      other !== name &&
      /^[0-9a-f]{32}$/.test(other) &&
      (await lstat(path.join(directory, other))).isDirectory()
    )
      await rm(path.join(directory, other), { recursive: true })
  return true
}

/** A listener with its certificate below `directory`. */
export const remoteListener = (
  port: number,
  directory: string,
  runAs: RunAs | null,
  pair: () => ServerPair,
): RemoteListener => ({
  port,
  certificate: path.join(directory, CURRENT, 'tls.crt'),
  key: path.join(directory, CURRENT, 'tls.key'),
  lay: () => layPair(directory, runAs, pair()),
})
