import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { AccountRecord, PanelSecrets } from '#handlers/ports/host/backups/archived-records.ts'
import type { RegisteredAccount, Registry } from '../../registry/types.ts'
import type { Manifest } from '../manifest.ts'
import { certificateMember } from '../manifest.ts'
import type { ArchiveKey } from './archive-keys.ts'
import { SEALED, sealSecrets } from './secrets.ts'

/** A member that is small enough to be held. */
export interface SmallMember {
  name: string
  content: Buffer
}

const measured = (content: Buffer): { size_bytes: number; sha256: string } => ({
  size_bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

const contentOf = (file: string): Promise<Buffer> =>
  readFile(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })

/**
 * What an archive holds beside dumps and home: the panel's record as it was given, the
 * certificates that the account's sites serve, and, sealed, keys and passwords.
 */
export const collectRecords = async (input: {
  account: RegisteredAccount
  record: AccountRecord
  secrets: PanelSecrets
  registry: Pick<Registry, 'vhostsOf'>
  systemPasswordHash: string | null
  key: ArchiveKey
}): Promise<{
  members: SmallMember[]
  part: Pick<Manifest, 'uid' | 'home' | 'record' | 'certificates' | 'sealed'>
}> => {
  const { account, record, key } = input
  const members: SmallMember[] = []
  const certificates: Manifest['certificates'] = []
  const keys: Record<string, string> = {}
  for (const { domain, ssl } of input.registry.vhostsOf(account.username)) {
    if (ssl === null) continue
    const chain = await contentOf(ssl.certificate)
    const privateKey = await contentOf(ssl.key)
    // A site that lost its files is no reason to have no backup.
    if (chain.length === 0 || privateKey.length === 0) continue
    keys[domain] = privateKey.toString('utf8')
    members.push({ name: certificateMember(domain), content: chain })
    certificates.push({ domain, ...measured(chain) })
  }
  const { bytes, iv } = sealSecrets(
    {
      panel: input.secrets,
      system_password_hash: input.systemPasswordHash,
      certificate_keys: keys,
    },
    key,
  )
  members.push({ name: SEALED, content: bytes })
  return {
    members,
    part: {
      uid: account.uid === 0 ? null : account.uid,
      home: account.home,
      record,
      certificates,
      sealed: {
        file: SEALED,
        cipher: 'aes-256-ctr',
        key_id: key.id,
        iv,
        ...measured(bytes),
      },
    },
  }
}
