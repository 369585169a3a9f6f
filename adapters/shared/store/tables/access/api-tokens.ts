import { sql } from 'kysely'
import type { Selectable, SqlBool } from 'kysely'
import type { AccessStore, OwnedToken } from '#handlers/ports/store/access-store.ts'
import type { TokenScope } from '#handlers/ports/store/records.ts'
import { insertWhere } from '../../conditional-insert.ts'
import type { StoreContext } from '../../context.ts'
import { listTail, matches } from '../../list.ts'
import { isUnchanged } from './is-unchanged.ts'
import type { Tables } from '../../schema.ts'
import { OWNER_NAME } from '../../user-tables.ts'

type Part = Pick<
  AccessStore,
  'listTokens' | 'tokenById' | 'tokenByHash' | 'insertToken' | 'touchToken' | 'deleteToken'
>

const SORTABLE = {
  id: 'id',
  name: 'name',
  expires_at: 'expires_at',
  last_used_at: 'last_used_at',
  created_at: 'created_at',
}

const toToken = (row: Selectable<Tables['api_tokens']> & { owner: string }): OwnedToken => ({
  ...row,
  scopes: JSON.parse(row.scopes) as TokenScope[],
})

/** API tokens. */
export const apiTokensPart = ({ db, write, runBatch }: StoreContext): Part => {
  const tokens = () => db.selectFrom('api_tokens').selectAll().select(OWNER_NAME.as('owner'))
  const tokenById = async (id: number) => {
    const row = await tokens().where('id', '=', id).executeTakeFirst()
    return row === undefined ? null : toToken(row)
  }
  return {
    tokenById,
    async listTokens(owner, query = {}) {
      let base = db.selectFrom('api_tokens')
      if (owner !== null) {
        base = base.where('role', '=', owner.role).where('owner_id', '=', owner.id)
      }
      if (query.q !== undefined) base = base.where(matches(['name'], query.q))
      const { column, direction, limit, offset } = listTail(query, 'id', SORTABLE)
      let rows = base
        .selectAll()
        .select(OWNER_NAME.as('owner'))
        .orderBy(sql.ref(column), direction)
        .orderBy('id')
      if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
      const [page, count] = await Promise.all([
        rows.execute(),
        base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      ])
      return { rows: page.map(toToken), total: Number(count.total) }
    },
    async tokenByHash(hash) {
      const row = await tokens().where('token_hash', '=', hash).executeTakeFirst()
      return row === undefined ? null : toToken(row)
    },
    async insertToken(token, limit, ownerNotBeforeSecs) {
      const { name, token_hash, role, owner_id, account_id, expires_at, created_at } = token
      const scopes = JSON.stringify(token.scopes)
      const owned = sql`from api_tokens where role = ${role} and owner_id = ${owner_id}`
      const taken = sql<SqlBool>`exists (select 1 ${owned} and name = ${name})`
      const same = isUnchanged({ role, id: owner_id, accountId: account_id }, ownerNotBeforeSecs)
      const room = sql<SqlBool>`(select count(*) ${owned} and account_id is not distinct from ${account_id}) < ${limit}`
      const values = {
        name,
        token_hash,
        role,
        owner_id,
        account_id,
        scopes,
        expires_at,
        created_at,
      }
      const [why, inserted] = await runBatch([
        sql`select ${taken} as taken, ${same} as same`.compile(write),
        insertWhere(
          write,
          'api_tokens',
          values,
          sql<SqlBool>`${same} and not ${taken} and ${room}`,
        ),
      ])
      const id = inserted?.rows[0]?.['id']
      const made = id === undefined ? null : await tokenById(Number(id))
      if (made !== null) return made
      if (why?.rows[0]?.['same'] !== 1) return 'owner-changed'
      return why.rows[0]['taken'] === 1 ? 'duplicate' : 'limit'
    },
    async touchToken(id, at) {
      await runBatch([
        write.updateTable('api_tokens').set({ last_used_at: at }).where('id', '=', id).compile(),
      ])
    },
    async deleteToken(id) {
      await runBatch([write.deleteFrom('api_tokens').where('id', '=', id).compile()])
    },
  }
}
