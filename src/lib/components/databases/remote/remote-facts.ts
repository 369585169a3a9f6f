import type { Database, DatabaseRemote } from '$lib/api/types'
import { texts } from '$lib/texts'

interface Fact {
  name: string
  value: string
  mono: true
}

/** How programs of other machines are told of a certificate of Berth's own. */
export const CERTIFICATE_FILE = 'berth-databases.pem'

/** Where a database is reached from elsewhere; null: it is not. `here`: the name that the panel is reached by. */
export const remotePlace = (
  remote: DatabaseRemote,
  { engine }: Pick<Database, 'engine'>,
  here: string,
): { host: string; port: number; verified: boolean } | null => {
  const port = remote.engines.find((one) => one.engine === engine)?.port ?? null
  const { certificate } = remote
  if (port === null || certificate === null) return null
  const host = remote.host ?? here
  return { host, port, verified: certificate.names.includes(host) }
}

/** What one tells a program of another machine to connect: nothing where the database is not reached. */
export const remoteFacts = (
  remote: DatabaseRemote,
  database: Pick<Database, 'engine' | 'database' | 'user'>,
  here: string,
): Fact[] => {
  const t = texts.databaseAddresses.connect
  const place = remotePlace(remote, database, here)
  const { certificate } = remote
  if (place === null || certificate === null) return []
  const { host, port, verified } = place
  const fact = (name: string, value: string): Fact => ({ name, value, mono: true })
  const isPostgres = database.engine === 'postgresql'
  const file = certificate.own ? CERTIFICATE_FILE : null
  const ca = file === null ? '' : ` --ssl-ca=${file}`
  const verify = verified ? ' --ssl-verify-server-cert' : ''
  const mode = verified ? 'verify-full' : file === null ? 'require' : 'verify-ca'
  const root = ` sslrootcert=${file ?? 'system'}`
  const command = isPostgres
    ? `psql "host=${host} port=${port} dbname=${database.database} user=${database.user} sslmode=${mode}${
        mode === 'require' ? '' : root
      }"`
    : `mariadb --host=${host} --port=${port} --user=${database.user} --password --ssl${ca}${verify} ${database.database}`
  const url = isPostgres
    ? `jdbc:postgresql://${host}:${port}/${database.database}?sslmode=${mode}${
        file !== null
          ? `&sslrootcert=${file}`
          : verified
            ? '&sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory'
            : ''
      }`
    : `jdbc:mariadb://${host}:${port}/${database.database}?sslMode=${
        verified ? 'verify-full' : file === null ? 'trust' : 'verify-ca'
      }${file === null ? '' : `&serverSslCert=${file}`}`
  return [
    fact(t.host, host),
    fact(t.port, String(port)),
    fact(
      !isPostgres ? t.mysql : mode === 'verify-full' && file === null ? t.newPsql : t.psql,
      command,
    ),
    fact(t.url, url),
    fact(t.fingerprint, certificate.fingerprint),
  ]
}
