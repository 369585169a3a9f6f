import { z } from 'zod'
import { linkId, signingKey } from '#adapters/shared/host-rpc/link/trust-list.ts'
import type { SignedTrustList } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { unavailable } from '#handlers/errors.ts'
import type { ToldTrust } from '#handlers/ports/host-links.ts'

const TELL_MS = 8000

const told = z.object({
  version: z.int().min(0),
  panels: z.array(z.object({ id: linkId, key: signingKey })).max(16),
  forgotten: z.array(linkId).max(1000),
})
const answerSchema = z.union([
  z.object({ ok: z.literal(true), data: told }),
  z.object({ ok: z.literal(false), held: told, error: z.string().max(500) }),
])

/** Sends a host its next list of panels, and answers the one that it has then. Throws 503. */
export const tellTrust = async (
  { send }: { send(request: Request): Promise<Response> },
  list: SignedTrustList,
): Promise<ToldTrust> => {
  const response = await send(
    new Request('https://host/trust', {
      ...{ method: 'POST', body: JSON.stringify(list), signal: AbortSignal.timeout(TELL_MS) },
    }),
  )
  const answer = answerSchema.safeParse(await response.json().catch(() => null))
  if (!answer.success) throw unavailable('The host does not say whom it obeys.')
  return answer.data.ok ? answer.data.data : answer.data.held
}
