import { sql } from 'kysely'
import type { SqlBool } from 'kysely'
import type { AccessStore, UserRef } from '#handlers/ports/store/access-store.ts'
import { numbersOf } from '../../dialect-words.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'

type Part = Pick<
  AccessStore,
  | 'secondFactor'
  | 'withSecondFactor'
  | 'enrolSecondFactor'
  | 'confirmSecondFactor'
  | 'spendTotpStep'
  | 'spendRecoveryCode'
  | 'countRecoveryCodes'
  | 'deleteSecondFactor'
>

/** Second factors and their recovery codes. */
export const secondFactorsPart = ({ db, write, runBatch }: StoreContext): Part => {
  const factorOf = ({ role, id }: UserRef) =>
    write.updateTable('second_factors').where('role', '=', role).where('owner_id', '=', id)
  const codesOf = ({ role, id }: UserRef) =>
    write.deleteFrom('recovery_codes').where('role', '=', role).where('owner_id', '=', id)
  return {
    async secondFactor({ role, id }) {
      const row = await db
        .selectFrom('second_factors')
        .select(['secret', 'confirmed', 'last_step', 'created_at'])
        .where('role', '=', role)
        .where('owner_id', '=', id)
        .executeTakeFirst()
      return row === undefined ? null : { ...row, confirmed: row.confirmed === 1 }
    },
    async withSecondFactor(role, ids) {
      const rows = await db
        .selectFrom('second_factors')
        .select('owner_id')
        .where('role', '=', role)
        .where('confirmed', '=', 1)
        .where(sql<SqlBool>`owner_id in ${numbersOf(ids)}`)
        .execute()
      return new Set(rows.map((row) => row.owner_id))
    },
    async enrolSecondFactor({ role, id }, secret, at) {
      const fresh = { secret, confirmed: 0, last_step: 0, created_at: at }
      const [result] = await runBatch([
        write
          .insertInto('second_factors')
          .values({ role, owner_id: id, ...fresh })
          .onConflict((conflict) =>
            conflict
              .columns(['role', 'owner_id'])
              .doUpdateSet(fresh)
              .where('second_factors.confirmed', '=', 0),
          )
          .compile(),
      ])
      return result?.changes === 1
    },
    async confirmSecondFactor(user, secret, step, codeHashes) {
      const { role, id } = user
      // A secret is drawn once, so it names this enrolment; its row is confirmed by the first statement alone.
      const confirmed = sql<SqlBool>`exists (select 1 from second_factors where role = ${role}
        and owner_id = ${id} and secret = ${secret} and confirmed = 1 and last_step = ${step})
        and not exists (select 1 from recovery_codes where role = ${role} and owner_id = ${id}
          and code_hash not in (${sql.join(codeHashes)}))`
      const [updated] = await runBatch([
        factorOf(user)
          .set({ confirmed: 1, last_step: step })
          .where('secret', '=', secret)
          .where('confirmed', '=', 0)
          .compile(),
        ...codeHashes.map((code_hash) =>
          insertWhere(write, 'recovery_codes', { role, owner_id: id, code_hash }, confirmed),
        ),
      ])
      return updated?.changes === 1
    },
    async spendTotpStep(user, step) {
      const [updated] = await runBatch([
        factorOf(user)
          .set({ last_step: step })
          .where('confirmed', '=', 1)
          .where('last_step', '<', step)
          .compile(),
      ])
      return updated?.changes === 1
    },
    async spendRecoveryCode(user, codeHash) {
      const [deleted] = await runBatch([codesOf(user).where('code_hash', '=', codeHash).compile()])
      return deleted?.changes === 1
    },
    async countRecoveryCodes({ role, id }) {
      const row = await db
        .selectFrom('recovery_codes')
        .select((e) => e.fn.countAll<number>().as('total'))
        .where('role', '=', role)
        .where('owner_id', '=', id)
        .executeTakeFirstOrThrow()
      return Number(row.total)
    },
    async deleteSecondFactor(user) {
      await runBatch([
        codesOf(user).compile(),
        write
          .deleteFrom('second_factors')
          .where('role', '=', user.role)
          .where('owner_id', '=', user.id)
          .compile(),
      ])
    },
  }
}
