import { z } from 'zod'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

/** Engines as they are called in answers; requests may also say `postgres`. */
const engine = z.enum(['mariadb', 'mysql', 'postgresql'])

const host = z
  .string()
  .describe('What applications on the host write as host: localhost, or the directory of a socket.')

/** An installed database server. */
export const engineSchema = named('DatabaseEngine', {
  engine,
  version: z.string(),
  running: z.boolean(),
  host,
})

/** A database that was just made. */
export const createdDatabaseSchema = named('CreatedDatabase', {
  engine,
  database: z.string().describe('Full name, <username>_<db_name>.'),
  user: z.string(),
  host,
})

/** A database in a list. */
export const databaseSchema = named('Database', {
  ...createdDatabaseSchema.shape,
  size_bytes: count().nullable().describe('Null when the server does not answer.'),
  tables: count().nullable().describe('Null when the server does not answer.'),
  created_at: timestamp(),
})

/** A database in the list of all accounts. */
export const listedDatabaseSchema = named('ListedDatabase', {
  account_id: recordId(),
  username: z.string(),
  ...createdDatabaseSchema.shape,
  size_bytes: count().nullable().describe('As noted last, once a day; null: not yet.'),
  created_at: timestamp(),
})

/** A further user of databases. */
export const databaseUserSchema = named('DatabaseUser', {
  engine,
  user: z.string().describe('Full name, <username>_<name>.'),
  host,
  databases: z
    .array(
      z.object({
        database: z.string().describe('Full name.'),
        rights: z.enum(['read', 'write', 'all']),
      }),
    )
    .describe('What it may do in which.'),
  created_at: timestamp(),
})

/** An address from which an account's databases may be reached. */
export const databaseAddressSchema = named('DatabaseAddress', {
  id: z.number(),
  address: z.string().describe('An address, or a block of them.'),
  note: z.string(),
  created_at: timestamp(),
})

/** How the database servers are reached from other machines. */
export const remoteSchema = named('DatabaseRemote', {
  engines: z.array(
    z.object({
      engine,
      port: z.number().nullable().describe('Null: it serves this machine alone.'),
      problem: z
        .string()
        .nullable()
        .describe(
          'Why it is not reached although it was asked for; null: it is as it was asked for.',
        ),
    }),
  ),
  host: z.string().nullable().describe('Name that clients connect to; null: that of the panel.'),
  certificate: z
    .object({
      names: z.array(z.string()).describe('Names that it is for.'),
      fingerprint: z.string().describe('SHA-256.'),
      until: timestamp(),
      own: z
        .boolean()
        .describe('Whether it is Berth’s own, which clients know by this file alone.'),
      pem: z.string().describe('The chain, leaf first.'),
    })
    .nullable()
    .describe('Null where nothing is to be reached from elsewhere.'),
})

/** How large a database was on a day. */
export const sizeOfDaySchema = named('DatabaseSizeOfDay', {
  day: z.string().describe('YYYY-MM-DD, UTC.'),
  size_bytes: count(),
})

/** Slow statements of a database that differ in their values alone. */
export const slowQuerySchema = named('DatabaseSlowQuery', {
  engine,
  database: z.string().nullable(),
  user: z.string(),
  statement: z.string().describe('With ? in place of every value; cut off after 1000 characters.'),
  count: count().describe('How often it was seen.'),
  longest_ms: count(),
  total_ms: count(),
  last_at: timestamp(),
})

/** An export that can be downloaded. */
export const exportSchema = named('DatabaseExport', {
  filename: z.string().describe('<engine>-<database>-<YYYYMMDD>-<HHMMSS>.<sql|sql.gz|zip>, UTC.'),
  engine,
  database: z.string(),
  size_bytes: count(),
  created_at: timestamp(),
  until: timestamp().describe('It is removed then.'),
})

/** What an import came to. */
export const importedSchema = z.object({
  engine,
  database: z.string(),
  undo: z
    .object({
      restore: z.string().describe('Its id among the restores of the account.'),
      until: timestamp(),
    })
    .nullable()
    .describe(
      'How it can be undone; null: too little of disk or quota was left to keep what was there.',
    ),
})
