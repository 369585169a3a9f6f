import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import mysql from 'mysql2/promise'
import pg from 'pg'
import type { Instance } from '#test/support/instance-types.ts'

/** A database and what its user logs in with. */
export interface DrillDatabase {
  engine: 'mariadb' | 'postgresql'
  database: string
  password: string
}

const sha256 = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex')

/** Access logs go on while a site is visited; what was there before a restore is kept for a day. */
const isPassing = (name: string): boolean => name === 'logs' || name.startsWith('.berth-restore-')

/** Every file, folder and link of a home: type, mode, time of change, owner, and what is in it. Names are bytes. */
export const filesOf = (home: string): string[] => {
  const lines: string[] = []
  const visit = (directory: Buffer, below: string): void => {
    for (const name of readdirSync(directory, { encoding: 'buffer' })) {
      if (below === '' && isPassing(name.toString())) continue
      const path = Buffer.concat([directory, Buffer.from('/'), name])
      const shown = `${below}${JSON.stringify(name.toString('latin1'))}`
      const { mode, mtimeMs, uid, size } = lstatSync(path)
      const seconds = Math.floor(mtimeMs / 1000)
      const stat = lstatSync(path)
      const facts = `${shown} ${(mode & 0o7777).toString(8)} ${uid}`
      if (stat.isSymbolicLink()) lines.push(`${shown} -> ${readlinkSync(path)}`)
      else if (stat.isDirectory()) {
        lines.push(`${facts} folder`)
        visit(path, `${shown}/`)
      } else lines.push(`${facts} ${seconds} ${size} ${sha256(readFileSync(path))}`)
    }
  }
  visit(Buffer.from(home), '')
  return lines.sort()
}

/** Runs statements as the database's own user, with its password. */
export const ask = async (
  { config }: Instance,
  { engine, database, password }: DrillDatabase,
  sql: string,
): Promise<Record<string, unknown>[]> => {
  if (engine === 'postgresql') {
    const host = join(config.paths.run_dir, 'postgresql')
    const client = new pg.Client({ host, user: database, password, database })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }
  const connection = await mysql.createConnection({
    socketPath: join(config.paths.run_dir, 'mariadb', 'mariadb.sock'),
    user: database,
    password,
    database,
    multipleStatements: true,
  })
  try {
    const [rows] = await connection.query(sql)
    return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
  } finally {
    await connection.end()
  }
}

const TABLES = {
  mariadb:
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  postgresql:
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
}

/** Every table and view: how many rows, and a hash over all of them. */
export const tablesOf = async (instance: Instance, one: DrillDatabase): Promise<string[]> => {
  const quote = one.engine === 'mariadb' ? '`' : '"'
  const names = (await ask(instance, one, TABLES[one.engine])).map(({ name }) => String(name))
  const lines: string[] = []
  for (const name of names.sort()) {
    const rows = await ask(instance, one, `SELECT * FROM ${quote}${name}${quote}`)
    const texts = rows.map((row) => JSON.stringify(row)).sort()
    lines.push(`${name} ${rows.length} ${sha256(texts.join('\n'))}`)
  }
  return lines
}

/** Fingerprint of the certificate that visitors of a name are shown. */
export const certificateOf = ({ webSslPort }: Instance, name: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port: webSslPort, servername: name, rejectUnauthorized: false },
      () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.end()
      },
    )
    socket.on('error', reject)
  })

/** The field of shadow(5) that a login is compared with. */
export const systemHashOf = (username: string): string =>
  readFileSync('/etc/shadow', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${username}:`))
    ?.split(':')
    .slice(0, 2)
    .join(':') ?? ''
