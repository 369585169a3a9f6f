import { z } from 'zod'
import type { KeptAccess } from '../access-files.ts'
import type { TextRecord } from '../update-zone.ts'
import { createProviderCall, providerFailure } from './provider-call.ts'

const zonesSchema = z.object({
  success: z.literal(true),
  result: z.array(z.object({ id: z.string().regex(/^[0-9a-f]{32}$/), name: z.string() })).max(50),
})
const recordsSchema = z.object({
  success: z.literal(true),
  result: z
    .array(
      z.object({
        id: z.string().regex(/^[0-9a-f]{32}$/),
        type: z.string(),
        name: z.string(),
        content: z.string(),
      }),
    )
    .max(100),
  result_info: z.object({ total_pages: z.number().int().min(0) }),
})
const errorsSchema = z.object({ errors: z.array(z.object({ code: z.number() })).max(100) })

/** "An identical record already exists." */
const IDENTICAL = 81_058
/** How Cloudflare says that a token is malformed: with status 400. */
const BAD_HEADERS = [6003, 6111]
/** Of one name; more are an accident. */
const MAX_PAGES = 5
const TTL_SECS = 60

/** Records by the API of Cloudflare, version 4, with a token that may edit the zone's DNS. */
export const cloudflareRecords = (access: KeptAccess, base: string) => {
  const call = createProviderCall(access, base, `Bearer ${access.secret ?? ''}`)
  const asked = async <T>(path: string, schema: z.ZodType<T>): Promise<T> => {
    const { body } = await call('GET', path)
    const read = schema.safeParse(body)
    if (read.success) return read.data
    throw unexpected(body)
  }
  const codesOf = (body: unknown): number[] =>
    errorsSchema.safeParse(body).data?.errors.map(({ code }) => code) ?? []
  const unexpected = (body: unknown) =>
    codesOf(body).some((code) => BAD_HEADERS.includes(code))
      ? providerFailure(access, 'it does not accept the token. Compare it')
      : providerFailure(access, 'it refuses the change. Look at the zone there')
  const zoneId = async (): Promise<string> => {
    const { result } = await asked(`/zones?name=${access.zone}&per_page=50`, zonesSchema)
    const found = result.find(({ name }) => name === access.zone)
    if (found !== undefined) return found.id
    throw providerFailure(access, 'it has no such zone for this token. Correct the zone')
  }
  return {
    async add({ name, value }: TextRecord): Promise<void> {
      const zone = await zoneId()
      const record = { type: 'TXT', name, content: `"${value}"`, ttl: TTL_SECS }
      const { status, body } = await call('POST', `/zones/${zone}/dns_records`, record)
      if (status >= 400 && !codesOf(body).includes(IDENTICAL)) throw unexpected(body)
    },
    async remove({ name, value }: TextRecord): Promise<void> {
      const zone = await zoneId()
      const ids: string[] = []
      for (let page = 1, pages = 1; page <= Math.min(pages, MAX_PAGES); page += 1) {
        const path = `/zones/${zone}/dns_records?type=TXT&name=${name}&per_page=100&page=${page}`
        const { result, result_info } = await asked(path, recordsSchema)
        pages = result_info.total_pages
        // Judged again, whatever the filter did.
        for (const one of result)
          if (
            one.type === 'TXT' &&
            one.name === name &&
            [value, `"${value}"`].includes(one.content)
          )
            ids.push(one.id)
      }
      for (const id of ids) {
        const { status, body } = await call('DELETE', `/zones/${zone}/dns_records/${id}`)
        if (status >= 400 && status !== 404) throw unexpected(body)
      }
    },
  }
}
