import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type {
  AttemptLimit,
  LoginAttemptStore,
} from '#handlers/ports/store/access/login-attempt-store.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'

/** Attempts that failed (`open_until_secs` 0) or are being checked, one row under each key. */
export const loginAttemptsPart = ({ db, write, runBatch }: StoreContext): LoginAttemptStore => ({
  async beginLoginAttempt({ id, limits, atSecs, windowSecs, openSecs }) {
    const sinceSecs = atSecs - windowSecs
    const open_until_secs = atSecs + openSecs
    const hasRoom = ({ key, most }: AttemptLimit) =>
      sql<SqlBool>`(select count(*) from login_failures
        where key = ${key} and at_secs > ${sinceSecs}) < ${most}`
    const insert = ({ key }: AttemptLimit, at: number) =>
      insertWhere(
        write,
        'login_failures',
        { key, at_secs: atSecs, attempt: id, open_until_secs },
        // The first decides for all: what it inserted would count against the others.
        at === 0
          ? sql<SqlBool>`${sql.join(limits.map(hasRoom), sql` and `)}`
          : sql<SqlBool>`exists (select 1 from login_failures where attempt = ${id})`,
      )
    const results = await runBatch([
      write.deleteFrom('login_failures').where('at_secs', '<=', sinceSecs).compile(),
      ...limits.map(insert),
      ...limits.map(({ key }) =>
        db
          .selectFrom('login_failures')
          .select((e) => [e.fn.countAll().as('count'), e.fn.min('at_secs').as('oldest')])
          .where('key', '=', key)
          .where('at_secs', '>', sinceSecs)
          .where('open_until_secs', '<=', atSecs)
          .compile(),
      ),
    ])
    if (results[1]?.rows.length === 1) return { state: 'begun' }
    for (const [at, { most }] of limits.entries()) {
      const failed = results[1 + limits.length + at]?.rows[0]
      if (Number(failed?.['count']) >= most)
        return { state: 'full', oldestSecs: Number(failed?.['oldest']) }
    }
    return { state: 'busy' }
  },
  async failLoginAttempt(id) {
    await runBatch([
      write
        .updateTable('login_failures')
        .set({ open_until_secs: 0 })
        .where('attempt', '=', id)
        .compile(),
    ])
  },
  async endLoginAttempt(id, forgetKey) {
    await runBatch([
      write.deleteFrom('login_failures').where('attempt', '=', id).compile(),
      ...(forgetKey === null
        ? []
        : [
            write
              .deleteFrom('login_failures')
              .where('key', '=', forgetKey)
              .where('open_until_secs', '=', 0)
              .compile(),
          ]),
    ])
  },
})
