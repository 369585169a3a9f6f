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
  hasShell: (username: string) => boolean,
): Verify => {
  const verified = new Set<boolean>()
  return {
    async account(username) {
      if (dropIn === null) return
      const { sshd, configFile, places } = dropIn
      const isShell = hasShell(username)
      if (verified.has(isShell)) return
      const own = await createSshdConfig(sshd, configFile).settings(username)
      const [root, command] = ['chrootdirectory', 'forcecommand'].map(
        (name) => valuesOf(own, name)[0],
      )
      const isRight = isShell ? command === SHELL_COMMAND : command?.startsWith('internal-sftp')
      if (root !== join(isShell ? places.rooms : places.jails, '%u') || isRight !== true)
        throw unavailable(
          `${configFile} does not keep members of ${JAILED_GROUP} in their jails. Let it begin with: Include /etc/ssh/sshd_config.d/*.conf`,
        )
      verified.add(isShell)
    },
    forget: () => verified.clear(),
  }
}
