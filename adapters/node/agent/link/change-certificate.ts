import { z } from 'zod'
import { prepareCertificate, usePreparedCertificate } from '../../link-trust/own-certificate.ts'
import type { Reader } from '../../link-trust/link-file.ts'
import type { WatchedTrust } from '../../link-trust/watched-trust.ts'

const askedSchema = z.strictObject({
  /** Digest of the one that is to be used from now on; absent: one is to be made. */
  use: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})

type Asked = z.output<typeof askedSchema>

/** What is asked of the certificate; null for anything else. */
export const parseCertificateOrder = (text: string): Asked | null => {
  try {
    return askedSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const refused = (status: number, error: string): Response =>
  Response.json({ ok: false, error, status, field: null }, { status })

/**
 * Changes this machine's certificate in two steps, so that its panels know the new one before it is shown: `{}`
 * answers one whose key stays here, `{"use": digest}` uses it. Either may be asked again. 409 where the named
 * one is not there.
 */
export const createCertificateChanger = (
  directory: string,
  watched: WatchedTrust,
  reader: Reader,
): ((body: Uint8Array<ArrayBuffer>) => Promise<Response>) => {
  let before: Promise<unknown> = Promise.resolve()
  const changed = async (body: Uint8Array<ArrayBuffer>): Promise<Response> => {
    const asked = parseCertificateOrder(new TextDecoder().decode(body))
    if (asked === null) return refused(400, 'What is asked of the certificate is not known here.')
    if (asked.use !== undefined)
      return usePreparedCertificate(directory, asked.use)
        ? Response.json({ ok: true, data: {} })
        : refused(409, 'That certificate was not prepared here.')
    const host = watched.now()?.list.host
    if (host === undefined) return refused(409, 'This machine trusts nobody.')
    return Response.json({
      ok: true,
      data: { certificate: await prepareCertificate(directory, host, reader) },
    })
  }
  return (body) => {
    const next = before.then(() => changed(body))
    before = next.catch(() => undefined)
    return next
  }
}
