/** Double-quoted identifier. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Quoted text that holds only characters without meaning inside quotes. */
export const quoteVerifier = (text: string): string => {
  if (!/^[A-Za-z0-9+/=:$ -]*$/.test(text)) throw new Error('unexpected character in a quoted text')
  return `'${text}'`
}

/** One account's share of the server's connections, all of its users together. */
const ACCOUNT_CONNECTIONS = 30

/** A role that can log in and nothing else. */
const HARMLESS =
  "NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS VALID UNTIL 'infinity'"

/**
 * Settings of a role. Only the limit on temporary files binds: the others are defaults
 * against forgotten statements, which an application may set otherwise.
 */
const SETTINGS: readonly [string, string][] = [
  ['search_path', '"$user", public'],
  ['temp_file_limit', "'1GB'"],
  ['statement_timeout', "'10min'"],
  ['idle_in_transaction_session_timeout', "'10min'"],
]

/** Statements that give a role that is there its password, its limits and nothing more. */
export const roleStatements = (user: string, verifier: string): string[] => {
  const role = quoteIdentifier(user)
  return [
    `ALTER ROLE ${role} WITH LOGIN ${HARMLESS} CONNECTION LIMIT ${ACCOUNT_CONNECTIONS} PASSWORD ${quoteVerifier(verifier)}`,
    ...SETTINGS.map(([name, value]) => `ALTER ROLE ${role} SET ${name} = ${value}`),
  ]
}

/** Replaces the password; a lock and the limits stay. */
export const passwordStatement = (user: string, verifier: string): string =>
  `ALTER ROLE ${quoteIdentifier(user)} PASSWORD ${quoteVerifier(verifier)}`

/** Sets the share of one user of an account that has `users` of them; running connections stay. */
export const shareStatement = (user: string, users: number): string =>
  `ALTER ROLE ${quoteIdentifier(user)} CONNECTION LIMIT ${Math.max(
    1,
    Math.floor(ACCOUNT_CONNECTIONS / Math.max(1, users)),
  )}`

/**
 * Creates an empty database that belongs to the administrator, so that its user cannot
 * open it to others. Nobody but the administrator connects until `openStatements` has run.
 */
export const createDatabaseStatement = (database: string): string =>
  `CREATE DATABASE ${quoteIdentifier(database)} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE 'C.UTF-8' CONNECTION LIMIT 0`

/** Run in the database itself: everything inside is its user's. */
export const insideStatements = (user: string): string[] => [
  `ALTER SCHEMA public OWNER TO ${quoteIdentifier(user)}`,
]

/** Lets in its user and nobody else. */
export const openStatements = (database: string, user: string): string[] => {
  const name = quoteIdentifier(database)
  return [
    `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`,
    `GRANT CONNECT, CREATE, TEMPORARY ON DATABASE ${name} TO ${quoteIdentifier(user)}`,
    `ALTER DATABASE ${name} CONNECTION LIMIT -1`,
  ]
}

/** Databases to which every new role could connect. */
export const OPEN_TO_ALL = `
  SELECT datname AS name FROM pg_database
  WHERE datallowconn AND (datacl IS NULL OR EXISTS (
    SELECT FROM aclexplode(datacl) WHERE grantee = 0 AND privilege_type = 'CONNECT'))
  ORDER BY datname`
