import { parsePublicKey } from '#handlers/domain/sftp/public-key.ts'
import { invalid, notFound, unavailable } from '#handlers/errors.ts'
import type { HostLogin, SftpPort } from '#handlers/ports/host/sftp.ts'

type Logins = Omit<Parameters<SftpPort['setLogins']>[0], 'username'>

export interface FakeSftp extends SftpPort {
  /** What opens each account, as it was told last. */
  logins: Map<string, Logins>
  /** Why there is none; null: there is. */
  reason: string | null
  /** What it tells of log-ins. */
  seen: HostLogin[]
}

/** Log-ins that nobody uses. */
export const createFakeSftp = (hasAccount: (username: string) => boolean): FakeSftp => {
  const fake: FakeSftp = {
    logins: new Map(),
    reason: null,
    seen: [],
    details: async () => ({
      available: fake.reason === null,
      reason: fake.reason,
      host: null,
      ports: fake.reason === null ? [22] : [],
      hostKeys:
        fake.reason === null
          ? [{ type: 'ssh-ed25519', fingerprint: `SHA256:${'a'.repeat(43)}` }]
          : [],
    }),
    async setLogins({ username, passwords, keys }) {
      if (!hasAccount(username)) throw notFound(`There is no account "${username}" on this host.`)
      if (fake.reason !== null) throw unavailable(`There is no SFTP on this host: ${fake.reason}`)
      for (const { publicKey } of keys) {
        const key = parsePublicKey(publicKey)
        if ('fault' in key) throw invalid('keys', `A key ${key.fault}`)
      }
      fake.logins.set(username, { passwords, keys })
    },
    seenLogins: async ({ after }) => fake.seen.filter(({ version }) => version > after),
  }
  return fake
}
