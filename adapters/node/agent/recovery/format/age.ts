import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { ExportError } from '#handlers/domain/recovery/export-manifest.ts'

/** What an export is closed with: https://age-encryption.org/v1, with scrypt or X25519. */
export type Lock = { passphrase: string } | { recipient: string }
/** What opens it. */
export type Key = { passphrase: string } | { identity: string }

/** Not at the start of the agent's programs that need none of it. */
const library = () => import('age-encryption')

const toWeb = (bytes: Readable): ReadableStream<Uint8Array> =>
  Readable.toWeb(bytes) as ReadableStream<Uint8Array>
/** The same streams under two names, Node's and the browsers'. */
type Web = globalThis.ReadableStream<Uint8Array>

/** The bytes closed, at the pace at which they are read. With several locks, which must be recipients, each alone opens it. */
export const close = async (bytes: Readable, locks: readonly Lock[]): Promise<Readable> => {
  const { Encrypter } = await library()
  const encrypter = new Encrypter()
  for (const lock of locks)
    if ('passphrase' in lock) encrypter.setPassphrase(lock.passphrase)
    else encrypter.addRecipient(lock.recipient)
  const closed = await encrypter.encrypt(toWeb(bytes) as Web)
  return Readable.fromWeb(closed as ReadableStream<Uint8Array>)
}

/**
 * The bytes that were closed. Each 64 KiB of them are authenticated before they are
 * given on; the stream fails where a byte was changed, or the end is missing.
 */
export const open = async (closed: Readable, key: Key): Promise<Readable> => {
  const { Decrypter } = await library()
  const decrypter = new Decrypter()
  if ('passphrase' in key) decrypter.addPassphrase(key.passphrase)
  else decrypter.addIdentity(key.identity)
  let bytes: Web
  try {
    bytes = await decrypter.decrypt(toWeb(closed) as Web)
  } catch (error) {
    closed.destroy()
    throw new ExportError(
      'passphrase' in key
        ? 'This file does not open with this passphrase: it is another one, or the file is damaged or no panel export.'
        : 'This file does not open with the key of this recovery kit: the kit is of another panel or an earlier one, the file was made with a passphrase, or it is damaged.',
      { cause: error },
    )
  }
  return Readable.fromWeb(bytes as ReadableStream<Uint8Array>)
}

/** A new key pair: `identity` opens what was closed for `recipient`. */
export const newKeyPair = async (): Promise<{ identity: string; recipient: string }> => {
  const { generateX25519Identity } = await library()
  const identity = await generateX25519Identity()
  return { identity, recipient: await recipientOf(identity) }
}

/** The public half of an identity; throws for what is none. */
export const recipientOf = async (identity: string): Promise<string> => {
  const { identityToRecipient } = await library()
  return identityToRecipient(identity)
}
