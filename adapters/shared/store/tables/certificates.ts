import { sql } from 'kysely'
import type { Selectable, SqlBool } from 'kysely'
import type { PlannedRenewal } from '#handlers/ports/host/certificates.ts'
import type { CertificateRow } from '#handlers/ports/store/records.ts'
import type { DomainSslState, Store } from '#handlers/ports/store/store.ts'
import type { StoreContext } from '../context.ts'
import { filtered, listTail, matches, totalOf, ownedBy } from '../list.ts'
import type { Tables } from '../schema.ts'

type Part = Pick<
  Store,
  | 'listCertificates'
  | 'certificateByDomain'
  | 'putCertificate'
  | 'setCertificateError'
  | 'setCertificateRenewal'
  | 'deleteCertificate'
>

const SORTABLE: Readonly<Record<string, string>> = {
  domain: 'domain',
  issuer: 'issuer',
  issued_at: 'issued_at',
  expires_at: 'expires_at',
}
const FILTERS = {
  /** Exclusive. */
  expires_after: (value: string) => sql<SqlBool>`expires_at > ${value}`,
  /** Inclusive. */
  expires_until: (value: string) => sql<SqlBool>`expires_at <= ${value}`,
}
const SEARCHED = ['domain', 'san', 'issuer', 'last_error']

const toRow = (row: Selectable<Tables['certificates']>): CertificateRow => ({
  ...row,
  san: JSON.parse(row.san) as string[],
  renewal: row.renewal === null ? null : (JSON.parse(row.renewal) as PlannedRenewal),
  forced: row.forced === 1,
})

const fromRow = (row: CertificateRow) => ({
  domain: row.domain,
  account_id: row.account_id,
  source: row.source,
  version: row.version,
  san: JSON.stringify(row.san),
  subject: row.subject,
  issuer: row.issuer,
  serial: row.serial,
  issued_at: row.issued_at,
  expires_at: row.expires_at,
  certificate_file: row.certificate_file,
  key_file: row.key_file,
  chain_file: row.chain_file,
  webroot: row.webroot,
  forced: row.forced ? 1 : 0,
  challenge: row.challenge,
  last_error: row.last_error,
  renewal: row.renewal === null ? null : JSON.stringify(row.renewal),
})

/** Certificates of sites. */
export const certificatesPart = ({ db, write, runBatch }: StoreContext): Part => {
  const sslStates = (domains: readonly DomainSslState[]) =>
    domains.map(({ id, ssl_status, ssl_expires_at }) =>
      write
        .updateTable('domains')
        .set({ ssl_status, ssl_expires_at })
        .where('id', '=', id)
        .compile(),
    )
  return {
    async listCertificates(query = {}) {
      let base = db.selectFrom('certificates')
      const owned = ownedBy(query, 'account_id')
      if (owned !== null) base = base.where(owned)
      if (query.q !== undefined) base = base.where(matches(SEARCHED, query.q))
      const wanted = filtered(query, FILTERS)
      if (wanted !== null) base = base.where(wanted)
      const { column, direction, limit, offset } = listTail(query, 'domain', SORTABLE)
      let rows = base.selectAll().orderBy(sql.ref(column), direction).orderBy('domain', direction)
      if (limit !== undefined) rows = rows.limit(limit).offset(offset ?? 0)
      const page = await rows.execute()
      const total = await totalOf(page.length, { limit, offset }, () =>
        base.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      )
      return { rows: page.map(toRow), total }
    },
    async certificateByDomain(domain) {
      const row = await db
        .selectFrom('certificates')
        .selectAll()
        .where('domain', '=', domain)
        .executeTakeFirst()
      return row === undefined ? null : toRow(row)
    },
    async putCertificate(row, domains) {
      const values = fromRow(row)
      await runBatch([
        write
          .insertInto('certificates')
          .values(values)
          .onConflict((conflict) => conflict.column('domain').doUpdateSet(values))
          .compile(),
        ...sslStates(domains),
      ])
    },
    async setCertificateError(domain, error) {
      await runBatch([
        write
          .updateTable('certificates')
          .set({ last_error: error })
          .where('domain', '=', domain)
          .compile(),
      ])
    },
    async setCertificateRenewal(domain, version, renewal) {
      await runBatch([
        write
          .updateTable('certificates')
          .set({ renewal: renewal === null ? null : JSON.stringify(renewal) })
          .where('domain', '=', domain)
          .where('version', '=', version)
          .compile(),
      ])
    },
    async deleteCertificate(domain, domains) {
      await runBatch([
        write.deleteFrom('certificates').where('domain', '=', domain).compile(),
        ...sslStates(domains),
      ])
    },
  }
}
