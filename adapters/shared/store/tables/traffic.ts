import { sql } from 'kysely'
import { LOCAL_HOST } from '#handlers/ports/store/host-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreContext } from '../context.ts'
import { isNotSetting, readSetting, writeSetting } from '../settings.ts'

type Part = Pick<Store, 'trafficBatch' | 'addTraffic'>

const lastBatch = (hostId: number): string =>
  hostId === LOCAL_HOST ? 'traffic_batch' : `traffic_batch:${hostId}`

/** What the accounts' sites have sent. */
export const trafficPart = ({ db, write, runBatch }: StoreContext): Part => ({
  trafficBatch: (hostId = LOCAL_HOST) => readSetting(db, lastBatch(hostId)),
  async addTraffic(batch, month, bytes, hostId = LOCAL_HOST) {
    const key = lastBatch(hostId)
    await runBatch([
      ...Object.entries(bytes).map(([domain, count]) =>
        write
          .updateTable('accounts')
          .set({
            bandwidth_used_bytes: sql<number>`case when bandwidth_month = ${month} then bandwidth_used_bytes else 0 end + ${count}`,
            bandwidth_month: month,
          })
          .where('id', '=', (e) =>
            e.selectFrom('domains').select('account_id').where('domain_name', '=', domain),
          )
          // A host tells of its own accounts alone.
          .where('host_id', '=', hostId)
          // Another instance may have added it since somebody looked.
          .where(isNotSetting(key, batch))
          .compile(),
      ),
      writeSetting(write, key, batch),
    ])
  },
})
