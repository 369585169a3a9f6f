import { createHash } from 'node:crypto'
import { z } from 'zod'
import { conflict } from '#handlers/errors.ts'
import type { ArchiveProof } from '#handlers/ports/host/backups/archived-records.ts'
import type { TarEntry } from '../../../archives/tar-reader.ts'
import { TAR_END, tarHeader } from '../tar-writer.ts'
import type { ArchiveKey, ArchiveKeys } from './archive-keys.ts'

/** The last member of an archive. */
export const PROOF = 'proof.json'

const BLOCK = 512
/** Header, one block of content, and the end of the archive. */
const TAIL_BYTES = BLOCK + BLOCK + TAR_END.length

const proofSchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  key_id: z.string().regex(/^[0-9a-f]{16}$/),
  mac: z.string().regex(/^[0-9a-f]{64}$/),
})

const provedText = (sha256: string): string => `berth archive\n${sha256}\n`

/** Header and content of the proof of what came before it; the end of the archive follows. */
export const proofMember = (sha256: string, key: ArchiveKey, mtimeSecs: number): Buffer => {
  const proof = { sha256, key_id: key.id, mac: key.macOf(provedText(sha256)) }
  const content = Buffer.alloc(BLOCK, ' ')
  content.write(`${JSON.stringify(proof)}\n`)
  const entry: TarEntry = {
    name: PROOF,
    type: 'file',
    mode: 0o600,
    mtimeSecs,
    sizeBytes: BLOCK,
    link: '',
  }
  return Buffer.concat([tarHeader(entry), content])
}

/** Takes the bytes of a tar archive; `verdict` tells what its last member proves. */
export interface ProofReader {
  take(chunk: Buffer): void
  /** 409 for an archive that was changed after a key of ours had proved it. */
  verdict(keys: ArchiveKeys): Promise<{ proof: ArchiveProof; key: ArchiveKey | null }>
}

/** The proof stands for the very bytes before it, which only a reader of all of them can tell. */
export const createProofReader = (): ProofReader => {
  const hash = createHash('sha256')
  let tail: Buffer = Buffer.alloc(0)
  const parse = () => {
    if (tail.length < TAIL_BYTES) return null
    if (tail.toString('latin1', 0, 100).split('\0', 1)[0] !== PROOF) return null
    try {
      const read = proofSchema.safeParse(JSON.parse(tail.toString('utf8', BLOCK, 2 * BLOCK)))
      return read.success ? read.data : null
    } catch {
      return null
    }
  }
  return {
    take(chunk) {
      const all = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
      const settled = Math.max(0, all.length - TAIL_BYTES)
      if (settled > 0) hash.update(all.subarray(0, settled))
      tail = Buffer.from(all.subarray(settled))
    },
    async verdict(keys) {
      const proof = parse()
      const key = proof === null ? null : await keys.byId(proof.key_id)
      if (proof === null || key === null) return { proof: 'unproved', key: null }
      const sha256 = hash.copy().digest('hex')
      if (sha256 !== proof.sha256 || !key.fits(provedText(sha256), proof.mac))
        throw conflict('The archive is refused: it was changed after it had been made.')
      return { proof: key.own ? 'own' : 'known', key }
    },
  }
}
