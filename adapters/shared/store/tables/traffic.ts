import { sql } from 'kysely'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreContext } from '../context.ts'
import { isNotSetting, readSetting, writeSetting } from '../settings.ts'

type Part = Pick<Store, 'trafficBatch' | 'addTraffic'>

const LAST_BATCH = 'traffic_batch'

/** What the accounts' sites have sent. */
export const trafficPart = ({ db, write, runBatch }: StoreContext): Part => ({
  trafficBatch: () => readSetting(db, LAST_BATCH),
  async addTraffic(batch, month, bytes) {
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
          // Another instance may have added it since somebody looked.
          .where(isNotSetting(LAST_BATCH, batch))
          .compile(),
      ),
      writeSetting(write, LAST_BATCH, batch),
    ])
  },
})
