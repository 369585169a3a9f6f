import type { LoginDifference, SftpLogins } from '#handlers/ports/host/sftp.ts'
import type { RegisteredAccount } from '../registry/types.ts'
import type { KeyFiles } from './key-files.ts'
import { hasPasswordLogin } from './login-groups.ts'

/** What of an account's log-ins is not as it was told; see `SftpPort.loginDifferences`. `names` are its users here. */
export const loginDifferences = async (
  { files, repositories }: { files: KeyFiles; repositories: KeyFiles },
  account: RegisteredAccount,
  { passwords, keys, repositoryKeys = [], users, shell }: SftpLogins,
  names: readonly string[],
): Promise<LoginDifference[]> => {
  const found: LoginDifference[] = []
  for (const wanted of [
    {
      name: account.username,
      passwords,
      keys,
      options: { terminal: shell, command: repositoryKeys.length > 0 },
    },
    ...users.filter(({ name }) => names.includes(name)).map((user) => ({ ...user, options: {} })),
  ]) {
    const { name, options } = wanted
    const { missing, unknown } = files.differences(
      { username: name },
      wanted.keys,
      account.suspended,
      options,
    )
    const isAccount = name === account.username
    const bound = isAccount
      ? repositories.differences({ username: name }, repositoryKeys, account.suspended, {
          command: true,
        })
      : { missing: 0, unknown: 0 }
    const isOtherwise = (await hasPasswordLogin(name)) !== wanted.passwords
    const missingKeys = missing + bound.missing
    const unknownKeys = unknown + bound.unknown
    if (missingKeys + unknownKeys > 0 || isOtherwise)
      found.push({ name, missingKeys, unknownKeys, passwords: isOtherwise })
  }
  return found
}
