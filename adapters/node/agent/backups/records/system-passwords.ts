import { invalid } from '#handlers/errors.ts'
import { passwdTool } from '../../accounts/passwd-tools.ts'
import { shadowEntry } from '../../accounts/os-names.ts'

/** Passwords of system users, as hashes: nobody is told one, and one can be carried along. */
export interface SystemPasswords {
  /** Null: it has none. A lock is not part of it. */
  read(account: { username: string }): Promise<string | null>
  /** 400 for what is no hash that crypt(5) makes. */
  set(account: { username: string }, hash: string): Promise<void>
}

/** crypt(5) without the methods that are too weak to be taken over. */
const HASH = /^\$(?:y|gy|7|2b|2y|6|5)\$[./0-9A-Za-z$=,]{8,400}$/

/** Of users of this machine (needs root). */
export const osPasswords: SystemPasswords = {
  async read({ username }) {
    const { hash = '' } = (await shadowEntry(username)) ?? {}
    return HASH.test(hash) ? hash : null
  },
  async set({ username }, hash) {
    if (!HASH.test(hash)) throw invalid('password', 'This is not the hash of a password.')
    // On standard input: arguments are visible to every user of the machine.
    await passwdTool('chpasswd', ['--encrypted'], `${username}:${hash}\n`)
  },
}

/** Of accounts without users of their own, which have none. */
export const noPasswords: SystemPasswords = {
  read: async () => null,
  set: async () => undefined,
}
