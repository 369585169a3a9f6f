import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJoinToken, proveJoined } from '#adapters/shared/host-rpc/link/join-token.ts'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { linkCertificate, TrustRefused } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { isForgotten } from '#handlers/domain/hosts/panel-family.ts'
import { writeWhole } from '../layout/write-whole.ts'
import { judgeTrustList, readTrust, trustFile, writeTrust } from './trust-file.ts'
import type { HeldTrust } from './trust-file.ts'
import type { Reader } from './link-file.ts'
import { readOwnCertificate, writeOwnCertificate } from './own-certificate.ts'

export { TrustRefused }
export { requireRootOwner } from '../layout/require-root-owner.ts'

/** Root's alone: by what this machine shows a panel that it is the one that was given the token. */
const proofFile = (directory: string): string => join(directory, 'joined.json')
const proofSchema = z.strictObject({ proof: z.string().regex(/^[A-Za-z0-9_-]{86}$/) })

/**
 * Makes this machine obey the panel that gave out the token: a key and certificate of its own, and the
 * list of the token. Throws `TrustRefused`, also where it obeys a panel already: two at one machine would
 * undo each other's work. No clock is asked: a token is void once the panel dials no more.
 */
export const joinByToken = async (
  directory: string,
  token: string,
  reader: Reader,
): Promise<HeldTrust> => {
  const { seed, list } = await parseJoinToken(token)
  try {
    judgeTrustList(list)
  } catch {
    throw new TrustRefused('a certificate or key in the token is not one of a panel')
  }
  const held = existsSync(trustFile(directory)) ? readTrust(directory) : null
  if (held !== null && held.list.panels.length > 0) {
    const ids = held.list.panels.map(({ id }) => id).join(', ')
    throw new TrustRefused(
      `this machine obeys ${ids} already. To let it go: berth agent forget-panel ID`,
    )
  }
  const own = await createLinkCertificate(list.host, 'server')
  mkdirSync(directory, { recursive: true, mode: 0o750 })
  writeOwnCertificate(directory, own, reader)
  const proof = await proveJoined(seed, list.host, own.certificate)
  writeWhole(proofFile(directory), `${JSON.stringify({ proof })}\n`, { mode: 0o600 })
  // Last of all: with it link and agent open.
  const joined = list.panels.map(({ id }) => id)
  const forgotten = (held?.forgotten ?? []).filter((id) => !isForgotten(joined, id))
  const trust = { list, forgotten }
  writeTrust(directory, trust, reader)
  return trust
}

/** What a panel that dials for the first time is shown; null where nobody joined. */
export const readProofOfJoining = (
  directory: string,
): { certificate: string; proof: string } | null => {
  if (!existsSync(proofFile(directory))) return null
  const { proof } = proofSchema.parse(JSON.parse(readFileSync(proofFile(directory), 'utf8')))
  return {
    proof,
    certificate: linkCertificate.parse(readOwnCertificate(directory).certificate),
  }
}

/** Takes a panel out of the list for good, with all keys that it has and will have. Throws `TrustRefused` for one that is not in it. */
export const forgetPanel = (directory: string, id: string, reader: Reader): HeldTrust => {
  const held = readTrust(directory)
  if (held === null || !held.list.panels.some((panel) => panel.id === id))
    throw new TrustRefused(`no panel ${id} is trusted here`)
  const trust = {
    list: {
      ...held.list,
      panels: held.list.panels.filter((panel) => !isForgotten([id], panel.id)),
    },
    forgotten: [...new Set([...held.forgotten, id])],
  }
  writeTrust(directory, trust, reader)
  return trust
}
