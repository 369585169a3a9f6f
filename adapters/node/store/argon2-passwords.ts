import { hash, verify } from '@node-rs/argon2'
import type { Passwords } from '#handlers/ports/passwords.ts'
import { siteHash } from '#adapters/shared/site-hash.ts'
import { createGate } from './gate.ts'

/** OWASP's second recommendation: 19 MiB, two passes, one lane; some 25 ms of one core. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Two of libuv's threads at most: the others serve the database and files meanwhile. */
const THREADS = 2
/** Some 2 s of work; whoever comes then is told to come again. */
const MAX_WAITING = 100

/** argon2id, computed on libuv's threads; rejects with 503 under a flood. */
export const createArgon2Passwords = (): Passwords => {
  const gate = createGate(THREADS, MAX_WAITING)
  let decoy: Promise<string> | null = null
  // The package's default algorithm is argon2id.
  const argon2id = (password: string) => hash(password, OPTIONS)
  const hashing = createGate(1, MAX_WAITING)
  return {
    siteHash: (password) => hashing(() => siteHash(password)),
    hash: (password) => gate(() => argon2id(password)),
    verify: (stored, password) =>
      gate(async () => {
        try {
          return await verify(stored, password)
        } catch {
          // An unreadable hash must not be told apart by answering at once.
          decoy ??= argon2id('decoy')
          await verify(await decoy, password)
          return false
        }
      }),
  }
}
