import { parsePublicKey } from '#handlers/domain/sftp/public-key.ts'
import { invalid, notFound, unavailable } from '#handlers/errors.ts'
import type { HostLogin, SftpLoginKey, SftpPort } from '#handlers/ports/host/sftp.ts'

type Logins = Omit<Parameters<SftpPort['setLogins']>[0], 'username'>

export interface FakeSftp extends SftpPort {
  /** What opens each account, as it was told last. */
  logins: Map<string, Logins>
  /** Why there is none; null: there is. */
  reason: string | null
  /** At which nobody listens. */
  silentPorts: number[]
  /** What it tells of log-ins. */
  seen: HostLogin[]
  /** Of users for one folder. */
  passwords: Map<string, string>
  /** Why nobody gets a shell; null: they do. */
  noShell: string | null
  /** Folders that are not there. */
  gone: Set<string>
}

/** Log-ins that nobody uses. */
export const createFakeSftp = (hasAccount: (username: string) => boolean): FakeSftp => {
  const fake: FakeSftp = {
    logins: new Map(),
    reason: null,
    silentPorts: [],
    noShell: null,
    seen: [],
    passwords: new Map(),
    gone: new Set(),
    details: async () => ({
      available: fake.reason === null,
      reason: fake.reason,
      host: null,
      ports: fake.reason === null ? [22] : [],
      silentPorts: fake.silentPorts,
      hostKeys:
        fake.reason === null
          ? [{ type: 'ssh-ed25519', fingerprint: `SHA256:${'a'.repeat(43)}` }]
          : [],
    }),
    async setLogins({ username, passwords, keys, repositoryKeys = [], users, shell, git }) {
      if (!hasAccount(username)) throw notFound(`There is no account "${username}" on this host.`)
      if (fake.reason !== null) throw unavailable(`There is no SFTP on this host: ${fake.reason}`)
      for (const { publicKey } of [
        ...[...keys, ...repositoryKeys],
        ...users.flatMap((user) => user.keys),
      ]) {
        const key = parsePublicKey(publicKey)
        if ('fault' in key) throw invalid('keys', `A key ${key.fault}`)
      }
      for (const { name } of users)
        if (!name.startsWith(`${username}_`)) throw invalid('name', 'The name is no name here.')
      for (const { repository } of repositoryKeys)
        if (!/^[a-z][a-z0-9-]{0,31}$/.test(repository.name))
          throw invalid('keys', 'A key opens no repository of that name.')
      fake.logins.set(username, {
        ...{ passwords, keys, users, shell },
        ...(git === true ? { git } : {}),
        ...(repositoryKeys.length === 0 ? {} : { repositoryKeys }),
      })
    },
    async loginDifferences({ username, passwords, keys, repositoryKeys = [], users }) {
      if (!hasAccount(username)) throw notFound(`There is no account "${username}" on this host.`)
      if (fake.reason !== null) throw unavailable(`There is no SFTP on this host: ${fake.reason}`)
      const there = fake.logins.get(username)
      const pairs = [
        {
          ...{ name: username, passwords, keys: [...keys, ...repositoryKeys] },
          now: {
            passwords: there?.passwords ?? true,
            keys: [...(there?.keys ?? []), ...(there?.repositoryKeys ?? [])],
          },
        },
        ...users.flatMap((user) => {
          const now = there?.users.find(({ name }) => name === user.name)
          return now === undefined ? [] : [{ ...user, now }]
        }),
      ]
      return pairs
        .map(({ name, now, ...wanted }) => {
          const texts = (keys: readonly SftpLoginKey[]) => keys.map((key) => JSON.stringify(key))
          const [has, wants] = [texts(now.keys), texts(wanted.keys)]
          return {
            name,
            missingKeys: wants.filter((key) => !has.includes(key)).length,
            unknownKeys: has.filter((key) => !wants.includes(key)).length,
            passwords: now.passwords !== wanted.passwords,
          }
        })
        .filter((one) => one.missingKeys + one.unknownKeys > 0 || one.passwords)
    },
    shellProblem: async ({ username }) => ({
      problem: fake.logins.get(username)?.shell === true ? fake.noShell : null,
    }),
    async setUserPassword({ username, name, password }) {
      const users = fake.logins.get(username)?.users ?? []
      if (!users.some((user) => user.name === name)) throw notFound(`There is no user "${name}".`)
      fake.passwords.set(name, password)
    },
    userProblems: async ({ username }) =>
      (fake.logins.get(username)?.users ?? []).map(({ name, folder }) => ({
        name,
        problem: fake.gone.has(folder) ? `The folder ${folder} is not there.` : null,
      })),
    seenLogins: async ({ after }) => fake.seen.filter(({ version }) => version > after),
  }
  return fake
}
