import { z } from 'zod'
import { linkCertificate } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { conflict, unavailable } from '#handlers/errors.ts'

const ASK_MS = 15_000

const preparedSchema = z.object({
  ok: z.literal(true),
  data: z.object({ certificate: linkCertificate }),
})
const usedSchema = z.object({ ok: z.literal(true) })

interface Sender {
  send(request: Request): Promise<Response>
}

const ask = async <T>({ send }: Sender, input: unknown, answer: z.ZodType<T>): Promise<T> => {
  const response = await send(
    new Request('https://host/certificate', {
      ...{ method: 'POST', body: JSON.stringify(input), signal: AbortSignal.timeout(ASK_MS) },
    }),
  )
  if (response.status === 409) throw conflict('The host does not have that certificate.')
  const read = answer.safeParse(await response.json().catch(() => null))
  if (!read.success) throw unavailable('The host does not say what became of its certificate.')
  return read.data
}

/** The certificate that a host made to show next. Throws 503. */
export const askForCertificate = async (to: Sender): Promise<string> =>
  (await ask(to, {}, preparedSchema)).data.certificate

/** Has a host show the one with that fingerprint. Throws 503; 409 where it does not have it. */
export const orderCertificate = async (to: Sender, fingerprint: string): Promise<void> => {
  await ask(to, { use: fingerprint }, usedSchema)
}
