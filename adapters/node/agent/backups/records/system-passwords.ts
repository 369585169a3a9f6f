import { isSystemHash, systemHashFault } from '#handlers/domain/accounts/system-hash.ts'
import { invalid } from '#handlers/errors.ts'
import { passwdTool } from '../../accounts/passwd-tools.ts'
import { shadowEntry } from '../../accounts/os-names.ts'

/** Passwords of system users, as hashes: nobody is told one, and one can be carried along. */
export interface SystemPasswords {
  /** Null: it has none. A lock is not part of it. */
  read(account: { username: string }): Promise<string | null>
  /** 400 for what is no hash that crypt(5) makes, or one that costs too much. */
  set(account: { username: string }, hash: string): Promise<void>
}

/** Of users of this machine (needs root). */
export const osPasswords: SystemPasswords = {
  async read({ username }) {
    const { hash = '' } = (await shadowEntry(username)) ?? {}
    return isSystemHash(hash) ? hash : null
  },
  async set({ username }, hash) {
    const fault = systemHashFault(hash)
    if (fault === 'costly')
      throw invalid(
        'password',
        `The password of ${username} is hashed with more work than this host does for a login. Set it anew where it comes from.`,
      )
    if (fault !== null) throw invalid('password', 'This is not the hash of a password.')
    // On standard input: arguments are visible to every user of the machine.
    await passwdTool('chpasswd', ['--encrypted'], `${username}:${hash}\n`)
  },
}

/** Of accounts without users of their own, which have none. */
export const noPasswords: SystemPasswords = {
  read: async () => null,
  set: async () => undefined,
}
