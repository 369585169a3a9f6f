import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'
import type { ResellerStore } from '#handlers/ports/store/access/reseller-store.ts'
import type { StoreContext } from '../../context.ts'
import { larger, numbersOf } from '../../dialect-words.ts'
import { insertWhere, operationExists } from '../../conditional-insert.ts'
import type { Conditions } from '../../reseller-room.ts'
import {
  allOf,
  hasAccountRoom,
  hasPromise,
  hasResellerRoom,
  isActiveReseller,
  mayGive,
  shortageIn,
  whichHold,
} from '../../reseller-room.ts'
import { fromOperation } from '../../rows.ts'

type Part = Pick<ResellerStore, 'moveAccounts' | 'updatePromise'>

/** What binds accounts to their resellers. */
export const resellerAccountsPart = ({ write, runBatch }: StoreContext): Part => ({
  async moveAccounts(ids, to, operation, at) {
    // Those that are his already are no more than he has.
    const these = sql`(select id from accounts where id in ${numbersOf(ids)}
      and reseller_id is distinct from ${to})`
    const sum = (column: string): RawBuilder<number> =>
      sql`(select coalesce(sum(${sql.ref(column)}), 0) from accounts where id in ${these})`
    const count = (table: 'domains' | 'databases'): RawBuilder<number> =>
      sql`(select count(*) from ${sql.table(table)} where account_id in ${these})`
    const accounts: RawBuilder<number> = sql`(select count(*) from accounts where id in ${these})`
    const conditions: Conditions =
      to === null
        ? {}
        : {
            gone: isActiveReseller(to),
            plan: sql<SqlBool>`not exists (select 1 from accounts where id in ${these}
              and plan not in (select plan from reseller_plans where reseller_id = ${to}))`,
            accounts: hasAccountRoom(to, accounts),
            domains: hasResellerRoom('domains', to, count('domains')),
            databases: hasResellerRoom('databases', to, count('databases')),
            disk: hasPromise('disk', to, sum('disk_quota_mb')),
            bandwidth: hasPromise('bandwidth', to, sum('bandwidth_quota_mb')),
          }
    const opened = operationExists(operation.id)
    const atSecs = Math.floor(Date.parse(`${at.replace(' ', 'T')}Z`) / 1000)
    const moved = numbersOf(ids)
    const [why, made] = await runBatch([
      whichHold(write, conditions),
      insertWhere(write, 'operations', fromOperation(operation), allOf(conditions)),
      sql`delete from api_tokens where role = 'account' and owner_id in ${moved} and ${opened}`.compile(
        write,
      ),
      // Who had the account may hold a link to it, made under his name or the account's.
      sql`delete from invitations where account_id in ${moved} and ${opened}`.compile(write),
      // Later than before, as for every end of sessions: `nextNotBefore`.
      sql`update accounts set reseller_id = ${to}, suspended_with_reseller = 0, updated_at = ${at},
        not_before_secs = ${larger(sql`not_before_secs`, sql`${atSecs}`)} + 1
        where id in ${moved} and ${opened}`.compile(write),
    ])
    if (made?.rows[0] !== undefined) return 'done'
    return shortageIn(why?.rows[0], conditions) ?? 'gone'
  },
  async updatePromise(account, reseller, change, operation) {
    const raised = (quota: 'disk_quota_mb' | 'bandwidth_quota_mb'): number | null => {
      const wanted = change[quota]
      return wanted === undefined || wanted <= account[quota] ? null : wanted
    }
    const disk = raised('disk_quota_mb')
    const bandwidth = raised('bandwidth_quota_mb')
    const conditions: Conditions = {
      gone: sql<SqlBool>`exists (select 1 from accounts where id = ${account.id} and reseller_id = ${reseller})`,
      ...(change.plan === undefined ? {} : { plan: mayGive(reseller, change.plan) }),
      ...(disk === null ? {} : { disk: hasPromise('disk', reseller, disk, account.id) }),
      ...(bandwidth === null
        ? {}
        : { bandwidth: hasPromise('bandwidth', reseller, bandwidth, account.id) }),
    }
    const [why, made] = await runBatch([
      whichHold(write, conditions),
      insertWhere(write, 'operations', fromOperation(operation), allOf(conditions)),
      write
        .updateTable('accounts')
        .set(change)
        .where('id', '=', account.id)
        .where(operationExists(operation.id))
        .compile(),
    ])
    if (made?.rows[0] !== undefined) return 'done'
    return shortageIn(why?.rows[0], conditions) ?? 'gone'
  },
})
