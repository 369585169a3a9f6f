import { join } from 'node:path'
import { unavailable } from '#handlers/errors.ts'
import type { DropInOptions } from '../../sshd/install-drop-in.ts'
import { JAILED_GROUP, SHELL_COMMAND } from '../../sshd/render-drop-in.ts'
import { createSshdConfig, valuesOf } from '../../sshd/sshd-settings.ts'

/** Makes sure that sshd keeps accounts where they belong. */
export interface Verify {
  /** Asks sshd, once for each kind of account. 503 where it would let that one out. */
  account(username: string): Promise<void>
  /** It may be otherwise from now on. */
  forget(): void
}

export const createVerify = (
  dropIn: Pick<DropInOptions, 'sshd' | 'configFile' | 'places'> | null,
  logins: {
    /** Whether it has a room. */
    hasShell(username: string): boolean
    /** Whether it has keys that open one repository alone. */
    isBound(username: string): Promise<boolean>
  },
): Verify => {
  const verified = new Set<string>()
  return {
    async account(username) {
      if (dropIn === null) return
      const { sshd, configFile, places } = dropIn
      const isShell = logins.hasShell(username)
      // Its keys bring the command with them; see `renderDropIn`.
      const forced = !isShell
        ? 'internal-sftp'
        : (await logins.isBound(username))
          ? 'none'
          : SHELL_COMMAND
      if (verified.has(forced)) return
      const own = await createSshdConfig(sshd, configFile).settings(username)
      const [root, command] = ['chrootdirectory', 'forcecommand'].map(
        (name) => valuesOf(own, name)[0],
      )
      const isRight = isShell ? command === forced : command?.startsWith(forced)
      if (root !== join(isShell ? places.rooms : places.jails, '%u') || isRight !== true)
        throw unavailable(
          `${configFile} does not keep members of ${JAILED_GROUP} in their jails. Let it begin with: Include /etc/ssh/sshd_config.d/*.conf`,
        )
      verified.add(forced)
    },
    forget: () => verified.clear(),
  }
}
