import type { LoginDifference, SftpLogins } from '#handlers/ports/host/sftp.ts'
import type { RegisteredAccount } from '../registry/types.ts'
import type { KeyFiles } from './key-files.ts'
import { hasPasswordLogin } from './login-groups.ts'

/** What of an account's log-ins is not as it was told; see `SftpPort.loginDifferences`. `names` are its users here. */
export const loginDifferences = async (
  files: KeyFiles,
  account: RegisteredAccount,
  { passwords, keys, users, shell }: SftpLogins,
  names: readonly string[],
): Promise<LoginDifference[]> => {
  const found: LoginDifference[] = []
  for (const wanted of [
    { name: account.username, passwords, keys, terminal: shell },
    ...users
      .filter(({ name }) => names.includes(name))
      .map((user) => ({ ...user, terminal: false })),
  ]) {
    const { name, terminal } = wanted
    const { missing, unknown } = files.differences(
      { username: name },
      wanted.keys,
      account.suspended,
      terminal,
    )
    const isOtherwise = (await hasPasswordLogin(name)) !== wanted.passwords
    if (missing + unknown > 0 || isOtherwise)
      found.push({ name, missingKeys: missing, unknownKeys: unknown, passwords: isOtherwise })
  }
  return found
}
