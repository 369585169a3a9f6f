import { belowHome } from './below-home.ts'
import { readCertificateTexts } from './certificate-texts.ts'
import { createCronLines, toldLine } from './cron-lines.ts'
import { readCrontab } from './crontab.ts'
import { readEqualsLines } from './equals-lines.ts'
import type {
  ForeignAccount,
  ForeignCronJob,
  ForeignDatabase,
  ForeignDomain,
  ForeignTree,
  SurveyedArchive,
} from './foreign-account.ts'
import { readMysqlGrants } from './mysql-grants.ts'
import { readPhpVersion } from './php-version.ts'
import { createReportLines, type ReportLines } from './report-lines.ts'
import { readUserdataHost, readUserdataMain } from './userdata.ts'

interface Source extends SurveyedArchive {
  /** What all names begin with, '' or with a slash at its end. */
  top: string
  home: string
  report: ReportLines
}

const textOf = ({ texts, top }: Source, name: string): string => texts.get(top + name) ?? ''

const aliasesOf = (names: string, own: string): string[] =>
  names.split(' ').filter((name) => {
    // Names that the other panel makes for services of its own.
    const isService = /^(?:mail|cpanel|webmail|webdisk|autodiscover|whm|cpcalendars|cpcontacts)\./
    return name !== '' && name !== own && !isService.test(name)
  })

/** One site: `host` is the name by which the other panel knows it, `name` the one that visitors use. */
const domainOf = (source: Source, name: string, host: string): ForeignDomain | null => {
  const { home, report } = source
  const subject = `domain ${name}`
  const data = readUserdataHost(textOf(source, `userdata/${host}`))
  const root = belowHome(home, data.documentRoot)
  if (root === null) {
    report.left(subject, `Its document root "${data.documentRoot}" is not below the home ${home}.`)
    return null
  }
  const { phpVersion: told } = data
  const phpVersion = readPhpVersion(told)
  if (phpVersion === null && told !== '' && told !== 'inherit')
    report.changed(subject, `It had PHP "${told}", and gets the account's.`)
  const pem = textOf(source, `apache_tls/${host}`)
  const certificate = readCertificateTexts(pem)
  if (pem !== '' && certificate === null)
    report.left(`certificate of ${name}`, 'Key and certificate are not both in it.')
  report.taken(subject)
  return {
    name,
    // The hidden subdomain of an addon domain is nobody's address.
    aliases: aliasesOf(data.serverAlias, name).filter(
      (alias) => name === host || (alias !== host && alias !== `www.${host}`),
    ),
    root,
    phpVersion,
    redirectHttps: false,
    hsts: false,
    certificate,
  }
}

const domainsOf = (source: Source): ForeignDomain[] => {
  const main = readUserdataMain(textOf(source, 'userdata/main'))
  const hidden = new Set(main.addonDomains.values())
  const sites = [
    [main.mainDomain, main.mainDomain],
    ...main.addonDomains,
    ...main.subDomains.filter((name) => !hidden.has(name)).map((name) => [name, name]),
  ]
  const domains = sites
    .filter(([name]) => name !== '')
    .map(([name = '', host = '']) => domainOf(source, name, host))
    .filter((domain) => domain !== null)
  const first = domains.find(({ name }) => name === main.mainDomain)
  return domains.map((domain) =>
    domain === first
      ? { ...domain, aliases: [...new Set([...domain.aliases, ...main.parkedDomains])] }
      : domain,
  )
}

const databasesOf = (source: Source): ForeignDatabase[] => {
  const { names, top, report } = source
  const grants = readMysqlGrants(textOf(source, 'mysql.sql'), textOf(source, 'mysql.sql-auth.json'))
  return names.flatMap((dump) => {
    if (!dump.startsWith(top)) return []
    const [, folder, name, end] =
      /^(mysql|psql)\/([^/]+)\.(sql|tar)$/.exec(dump.slice(top.length)) ?? []
    if (name === undefined || (folder === 'mysql') !== (end === 'sql')) return []
    if (folder === 'psql' && /^(?:1psql_users|psql_grants)$/.test(name)) return []
    const create = textOf(source, `mysql/${name}.create`)
    const users = grants.get(name) ?? []
    report.taken(`database ${name}`)
    return [
      {
        engine: folder === 'mysql' ? ('mariadb' as const) : ('postgresql' as const),
        name,
        dump,
        compression: 'none' as const,
        form: folder === 'mysql' ? ('sql' as const) : ('pg_custom' as const),
        charset: /CHARACTER SET (\w{1,32})/.exec(create)?.[1] ?? null,
        collation: /COLLATE (\w{1,64})/.exec(create)?.[1] ?? null,
        users,
      },
    ]
  })
}

const treeOf = ({ names, top }: Source): ForeignTree => {
  const inner = names.find((name) => name === `${top}homedir.tar`)
  return { member: inner ?? `${top}homedir/`, compression: 'none', into: '' }
}

/** Its own table; those of other users are nobody's here. */
const cronOf = (source: Source, username: string): ForeignCronJob[] => {
  const lines = createCronLines(source.report)
  readCrontab(textOf(source, `cron/${username}`), lines)
  for (const name of source.names)
    if (name.startsWith(`${source.top}cron/`) && !name.endsWith('/'))
      if (name !== `${source.top}cron/${username}`)
        lines.left(`cron table ${toldLine(name)}`, 'It is not one of the account.')
      else if (!source.texts.has(name)) lines.left('cron jobs', 'Their table is too large.')
  lines.end()
  return lines.jobs
}

/** What the archive has and is not taken, by what its names begin with. */
const OTHERS: readonly [beginning: string, subject: string, reason: string][] = [
  ['dnszones/', 'DNS zones', 'Berth has no name server; move the zones to your provider.'],
  ['va/', 'mail addresses and forwarders', 'Berth has no mail server.'],
  ['proftpdpasswd', 'FTP users', 'There are no FTP users here.'],
  ['bandwidth', 'statistics', 'Figures of another machine.'],
  ['mm/', 'mailing lists', 'Berth has no mail server.'],
]

/** The part of all names before `cp/<user>` and `userdata/main`; null where there is no such pair. */
export const cpanelTop = ({ texts }: SurveyedArchive): string | null => {
  for (const name of texts.keys()) {
    if (!name.endsWith('userdata/main')) continue
    const top = name.slice(0, -'userdata/main'.length)
    if ([...texts.keys()].some((one) => one.startsWith(`${top}cp/`))) return top
  }
  return null
}

/** Reads an account archive of cPanel (`cpmove-…`, `backup-…`); `top` is what `cpanelTop` answered. */
export const readCpanel = (archive: SurveyedArchive, top: string): ForeignAccount => {
  const report = createReportLines()
  const file = [...archive.texts.keys()].find((name) => name.startsWith(`${top}cp/`)) ?? ''
  const username = file.slice(`${top}cp/`.length)
  const user = readEqualsLines(archive.texts.get(file) ?? '')
  const home = (archive.texts.get(`${top}homedir_paths`) ?? '').trim().split('\n', 1)[0]
  const source: Source = { ...archive, top, report, home: home || `/home/${username}` }
  const domains = domainsOf(source)
  const databases = databasesOf(source)
  const cron = cronOf(source, username)
  for (const [beginning, subject, reason] of OTHERS)
    if (archive.names.some((name) => name.startsWith(top + beginning) && !name.endsWith('/')))
      report.left(subject, reason)
  report.left(
    'password of the account',
    'It is kept in a form that only the other panel checks: the account gets a new one.',
  )
  return {
    panel: 'cpanel',
    username,
    email: user.get('CONTACTEMAIL') || null,
    uid: null,
    home: source.home,
    suspended: archive.names.some((name) => name.startsWith(`${top}suspended/`)),
    phpVersion: null,
    primaryDomain: domains[0]?.name ?? '',
    domains,
    databases,
    cron,
    trees: [treeOf(source)],
    report: report.lines,
  }
}
