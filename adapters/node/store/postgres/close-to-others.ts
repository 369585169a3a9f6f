import type pg from 'pg'

interface Facts {
  name: string
  /** Quoted, as SQL has it. */
  quoted: string
  is_open: boolean
  is_own: boolean
}

const factsOf = async (pool: pg.Pool): Promise<Facts | undefined> =>
  (
    await pool.query<Facts>(
      `select datname as name, quote_ident(datname) as quoted,
        has_database_privilege('public', oid, 'CONNECT') as is_open,
        pg_has_role(current_user, datdba, 'USAGE') as is_own
        from pg_database where datname = current_database()`,
    )
  ).rows[0]

/**
 * What lets every role of the server into the panel's database, as a sentence for the administrator;
 * null: nothing does. Such a role reads no table there, but may hold the lock under which records are
 * written, and on PostgreSQL 14 make functions that the panel would call.
 */
export const openToOthers = async (pool: pg.Pool): Promise<string | null> => {
  const facts = await factsOf(pool)
  return facts?.is_open
    ? `Every user of the server may connect to the database ${facts.name}, and so hold up changes. As its owner: REVOKE CONNECT, TEMPORARY ON DATABASE ${facts.quoted} FROM PUBLIC`
    : null
}

/** Takes from everybody what PostgreSQL gives them at a new database, where it is the panel's own. */
export const closeToOthers = async (pool: pg.Pool): Promise<void> => {
  const facts = await factsOf(pool)
  if (!facts?.is_open || !facts.is_own) return
  try {
    await pool.query(`revoke connect, temporary on database ${facts.quoted} from public`)
  } catch (error) {
    // Another panel does the same at this moment.
    if ((await openToOthers(pool)) !== null) throw error
  }
}
