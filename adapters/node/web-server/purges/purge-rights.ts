import { createHash, timingSafeEqual } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { PurgeRights } from '#handlers/sites/page-cache/purge-method.ts'
import { createPeerUid } from './peer-uid.ts'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The account's uid; of a host without account the owner of its document root. Null: nobody, or root. */
const ownerOf = async ({ uid, root }: VirtualHostConfig): Promise<number | null> => {
  const owner =
    uid ??
    (await stat(root).then(
      (found) => found.uid,
      () => 0,
    ))
  return owner === 0 ? null : owner
}

/** Judges by the machine's own tables of connections, and by the token's file as it is now. */
export const createPurgeRights = (
  runDir: string,
  peerUid: ReturnType<typeof createPeerUid> = createPeerUid(),
): PurgeRights => ({
  async isOwner(vhost, context) {
    const uid = await peerUid(context)
    return uid !== null && uid === (await ownerOf(vhost))
  },
  async isToken(token) {
    const known = await readFile(join(runDir, 'management.token'), 'utf8').catch(() => '')
    const wanted = known.trim()
    return wanted !== '' && timingSafeEqual(digest(token), digest(wanted))
  },
})
