import { hash, verify } from '@node-rs/argon2'
import type { Passwords } from '#handlers/ports/passwords.ts'

/** OWASP's second recommendation: 19 MiB, two passes, one lane; some 25 ms of one core. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** argon2id, computed on libuv's threads. */
export const createArgon2Passwords = (): Passwords => {
  let decoy: Promise<string> | null = null
  // The package's default algorithm is argon2id.
  const argon2id = (password: string) => hash(password, OPTIONS)
  return {
    hash: argon2id,
    async verify(stored, password) {
      try {
        return await verify(stored, password)
      } catch {
        // An unreadable hash must not be told apart by answering at once.
        decoy ??= argon2id('decoy')
        await verify(await decoy, password)
        return false
      }
    },
  }
}
