import { z } from 'zod'
import type { KeptAccess } from '../access-files.ts'
import type { TextRecord } from '../update-zone.ts'
import { createProviderCall, providerFailure } from './provider-call.ts'

const setSchema = z.object({ ttl: z.number(), records: z.array(z.string()).max(100) })

/** The least that deSEC takes, unless it was agreed otherwise. */
const TTL_SECS = 3600

/** Records by the API of deSEC: all of one name and type are written at once. */
export const desecRecords = (access: KeptAccess, base: string) => {
  const call = createProviderCall(access, base, `Token ${access.secret ?? ''}`)
  const domain = `/domains/${access.zone}`
  const change = async (
    { name, value }: TextRecord,
    changed: (records: readonly string[], own: string) => string[],
  ): Promise<void> => {
    const subname = name.slice(0, -(access.zone.length + 1))
    const { status, body } = await call('GET', `${domain}/rrsets/${subname}/TXT/`)
    const read = setSchema.safeParse(body)
    // 404 is a name without records, and a zone that is not there; writing tells which.
    if (!read.success && status !== 404) throw providerFailure(access, 'it refuses. Look there')
    const before = read.success && status === 200 ? read.data.records : []
    const records = changed(before, `"${value}"`)
    if (records.length === before.length) return
    const ttl = read.success ? Math.max(read.data.ttl, TTL_SECS) : TTL_SECS
    const sent = [{ subname, type: 'TXT', ttl, records }]
    const answer = await call('PATCH', `${domain}/rrsets/`, sent)
    if (answer.status === 404)
      throw providerFailure(access, 'it has no such zone for this token. Correct the zone')
    if (answer.status >= 400)
      throw providerFailure(access, 'it refuses the change. Look at the zone there')
  }
  return {
    add: (record: TextRecord) =>
      change(record, (records, own) => [...records.filter((one) => one !== own), own]),
    remove: (record: TextRecord) =>
      change(record, (records, own) => records.filter((one) => one !== own)),
  }
}
