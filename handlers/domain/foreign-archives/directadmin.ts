import { readCarriedHash } from './carried-hash.ts'
import { readCertificateTexts } from './certificate-texts.ts'
import { compressionOf } from './compression.ts'
import { createCronLines } from './cron-lines.ts'
import { readCrontab } from './crontab.ts'
import { readEqualsLines } from './equals-lines.ts'
import type {
  ForeignAccount,
  ForeignCronJob,
  ForeignDatabase,
  ForeignDatabaseUser,
  ForeignDomain,
  SurveyedArchive,
} from './foreign-account.ts'
import { createReportLines, type ReportLines } from './report-lines.ts'

/** `a=1&b=2` with escapes; a pair that cannot be decoded is skipped. */
const pairsOf = (text: string): Map<string, string> => new Map(new URLSearchParams(text))

const pointersOf = (text: string, report: ReportLines): string[] => {
  const aliases: string[] = []
  for (const [name, value] of readEqualsLines(text)) {
    const kind = value.includes('=') ? pairsOf(value).get('type') : value
    if (kind === 'alias') aliases.push(name)
    else report.left(`pointer ${name}`, 'It redirects to the domain; set a redirect by hand.')
  }
  return aliases
}

const domainsOf = ({ texts, names }: SurveyedArchive, report: ReportLines): ForeignDomain[] => {
  const withMail = new Set(names.map((one) => /^backup\/([^/]+)\/email\//.exec(one)?.[1]))
  return [...texts].flatMap(([file, text]) => {
    const name = /^backup\/([^/]+)\/domain\.conf$/.exec(file)?.[1]
    if (name === undefined) return []
    const get = (end: string): string => texts.get(`backup/${name}/${end}`) ?? ''
    const fields = readEqualsLines(text)
    const certificate = readCertificateTexts(
      get('domain.key'),
      get('domain.cert'),
      get('domain.cacert'),
    )
    const site = { phpVersion: null, redirectHttps: fields.get('force_ssl') === 'yes', hsts: false }
    const root = `domains/${name}/public_html`
    report.taken(`domain ${name}`)
    const subdomains = get('subdomain.list').split('\n')
    if (withMail.has(name)) report.left(`mail of ${name}`, 'Berth has no mail server.')
    if (texts.has(`backup/${name}/ftp.passwd`))
      report.left(`FTP users of ${name}`, 'There are no FTP users here.')
    return [
      { ...site, name, aliases: pointersOf(get('domain.pointers'), report), root, certificate },
      ...subdomains
        .map((one) => one.trim())
        .filter((one) => one !== '')
        .map((one) => {
          report.taken(`domain ${one}.${name}`)
          const own = { name: `${one}.${name}`, aliases: [], certificate: null }
          return { ...site, ...own, root: `${root}/${one}` }
        }),
    ]
  })
}

const databasesOf = ({ texts, names }: SurveyedArchive, report: ReportLines): ForeignDatabase[] =>
  names.flatMap((dump) => {
    const [, name] = /^backup\/([^/]+)\.sql(?:\.gz|\.zst)?$/.exec(dump) ?? []
    if (name === undefined) return []
    const users: ForeignDatabaseUser[] = []
    let collation: string | null = null
    for (const line of (texts.get(`backup/${name}.conf`) ?? '').split('\n')) {
      const at = line.indexOf('=')
      // A line is `<user>=accesshosts=…&passwd=…`, or `db_collation=…`.
      const key = at === -1 ? '' : line.slice(0, at)
      const fields = pairsOf(line.slice(at + 1))
      if (key === 'db_collation') collation = fields.get('DEFAULT_COLLATION_NAME') ?? null
      else if (key !== '') {
        const user = pairsOf(line).get('user') ?? key
        const hash = readCarriedHash(fields.get('passwd') ?? '')
        users.push({ name: user, hash, privileges: ['ALL PRIVILEGES'] })
      }
    }
    report.taken(`database ${name}`)
    const compression = compressionOf(dump)
    const sql = { engine: 'mariadb', form: 'sql', charset: null } as const
    return [{ ...sql, name, dump, compression, collation, users }]
  })

/** A crontab whose jobs have numbers before them: `1=5 * * * * …`. */
const cronOf = ({ texts }: SurveyedArchive, report: ReportLines): ForeignCronJob[] => {
  const lines = createCronLines(report)
  const table = (texts.get('backup/crontab.conf') ?? '').split('\n')
  readCrontab(table.map((line) => line.replace(/^\d{1,9}=/, '')).join('\n'), lines)
  lines.end()
  return lines.jobs
}

/** Whether the archive is one of DirectAdmin. */
export const isDirectAdmin = ({ texts }: SurveyedArchive): boolean => texts.has('backup/user.conf')

/** Reads a user archive of DirectAdmin. */
export const readDirectAdmin = (archive: SurveyedArchive): ForeignAccount => {
  const report = createReportLines()
  const user = readEqualsLines(archive.texts.get('backup/user.conf') ?? '')
  const username = user.get('username') ?? ''
  const domains = domainsOf(archive, report)
  const main = user.get('domain') ?? ''
  const first = domains.findIndex(({ name }) => name === main)
  if (first > 0) domains.unshift(...domains.splice(first, 1))
  const databases = databasesOf(archive, report)
  const inner = archive.names.find((name) => /^backup\/home\.tar(?:\.(?:gz|zst))?$/.test(name))
  const cron = cronOf(archive, report)
  report.left(
    'password of the account',
    'It is kept in a form that only the other panel checks: the account gets a new one.',
  )
  return {
    panel: 'directadmin',
    username,
    email: user.get('email') ?? null,
    uid: null,
    home: `/home/${username}`,
    suspended: user.get('suspended') === 'yes',
    phpVersion: null,
    primaryDomain: domains[0]?.name ?? '',
    domains,
    databases,
    cron,
    trees: [
      { member: 'domains/', compression: 'none', into: 'domains' },
      ...(inner === undefined
        ? []
        : [
            {
              member: inner,
              compression: compressionOf(inner),
              into: '',
            },
          ]),
    ],
    report: report.lines,
  }
}
