import { readFile } from 'node:fs/promises'
import { conflict } from '#handlers/errors.ts'
import type { HostAccount } from '../../accounts/account-host.ts'
import { osUser } from '../../accounts/os-names.ts'
import { passwdTool } from '../../accounts/passwd-tools.ts'
import { noLoginShell } from '../../accounts/no-login-shell.ts'
import { FILES } from './folder-jails.ts'

/** `<account>_<word>`: no account has a name with `_`, so none can be meant by it. */
export const isAliasName = (name: string, account: string): boolean =>
  name.startsWith(`${account}_`) && /^[a-z0-9]{1,15}$/.test(name.slice(account.length + 1))

/** Further names of an account's uid, as they stand in passwd(5): behind the account, which was there first. */
export const aliasesOf = async ({
  username,
  uid,
}: Pick<HostAccount, 'username' | 'uid'>): Promise<string[]> =>
  (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'))
    .filter(
      ([name = '', , id, , , home]) =>
        id === String(uid) && home === FILES && isAliasName(name, username),
    )
    .map(([name = '']) => name)

/** Makes one, with the account's uid, no shell and no password; one that is there is no error. 409 for a name that is somebody else's. */
export const makeAlias = async (account: HostAccount, name: string): Promise<void> => {
  const there = await osUser(name)
  if (there !== null) {
    if (there.uid === account.uid && there.home === FILES) return
    throw conflict(`"${name}" is already a user of this system. Choose another name.`, 'name')
  }
  await passwdTool('useradd', [
    '--non-unique',
    ...['--uid', String(account.uid), '--gid', String(account.gid)],
    ...['--home-dir', FILES, '--no-create-home', '--no-log-init'],
    ...['--shell', await noLoginShell()],
    ...['--key', 'SUB_UID_COUNT=0', '--key', 'SUB_GID_COUNT=0'],
    '--',
    name,
  ])
}

/** Takes one away; none is no error. Forced: programs of the account bear its uid. */
export const removeAlias = async (account: HostAccount, name: string): Promise<void> => {
  const there = await osUser(name)
  if (there?.uid !== account.uid || there.home !== FILES) return
  await passwdTool('userdel', ['--force', '--', name])
}
