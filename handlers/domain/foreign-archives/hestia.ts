import { splitTrimmed } from '#edge-cache/fields/field-text.ts'
import { belowHome } from './below-home.ts'
import { createCronLines, toldLine } from './cron-lines.ts'
import { readCarriedHash } from './carried-hash.ts'
import { readCertificateTexts } from './certificate-texts.ts'
import type {
  ForeignAccount,
  ForeignCronJob,
  ForeignDatabase,
  ForeignDomain,
  ForeignTree,
  SurveyedArchive,
} from './foreign-account.ts'
import { readPhpVersion } from './php-version.ts'
import { readQuotedPairs } from './quoted-pairs.ts'
import { compressionOf } from './compression.ts'
import { createReportLines, type ReportLines } from './report-lines.ts'

/** Names by the first two parts of each, in the order in which they come first; one pass for all things of an account. */
const namesByFolder = (names: readonly string[]): Map<string, string[]> => {
  const folders = new Map<string, string[]>()
  for (const name of names) {
    const end = name.indexOf('/', name.indexOf('/') + 1)
    if (end === -1) continue
    const folder = name.slice(0, end)
    const inside = folders.get(folder)
    if (inside) inside.push(name)
    else folders.set(folder, [name])
  }
  return folders
}

/** Names of the folders below `hall`. */
const foldersBelow = ({ folders }: Pick<Source, 'folders'>, hall: string): string[] =>
  [...folders.keys()]
    .filter((folder) => folder.startsWith(`${hall}/`))
    .map((folder) => folder.slice(hall.length + 1))

const isYes = (text: string | undefined): boolean => text === 'yes'

interface Source extends SurveyedArchive {
  own: 'hestia' | 'vesta'
  home: string
  /** Members by the folder of the thing that they are of, such as `web/shop.example`. */
  folders: ReadonlyMap<string, readonly string[]>
  report: ReportLines
}

const domainOf = (source: Source, name: string): ForeignDomain | null => {
  const { texts, own, home, report } = source
  const folder = `web/${name}/${own}`
  const subject = `domain ${name}`
  const text = texts.get(`${folder}/web.conf`)
  if (text === undefined) {
    report.left(subject, 'Its web.conf is not in the archive.')
    return null
  }
  const fields = readQuotedPairs(text)
  const get = (key: string): string => fields.get(key) ?? ''
  const custom = get('CUSTOM_DOCROOT')
  const root = custom === '' ? `web/${name}/public_html` : belowHome(home, custom)
  if (root === null) {
    report.left(subject, `Its document root ${custom} is not below the home.`)
    return null
  }
  const backend = get('BACKEND')
  const phpVersion = readPhpVersion(backend)
  if (phpVersion === null && backend !== '' && backend !== 'default')
    report.changed(subject, `It had the PHP backend "${backend}", and gets the account's.`)
  for (const [key, what] of [
    ['REDIRECT', 'redirect'],
    ['AUTH_USER', 'password of its folder'],
    ['FTP_USER', 'FTP users'],
  ] as const)
    if (get(key) !== '') report.left(`${what} of ${name}`, 'Set it again by hand.')
  const templates = (source.folders.get(`web/${name}`) ?? []).filter(
    (one) => one.startsWith(`web/${name}/conf/`) && /\.conf_.+/.test(one),
  )
  for (const one of templates) report.left(one, 'Configuration written by hand for another server.')
  const isTls = isYes(get('SSL'))
  const certificate = isTls
    ? readCertificateTexts(
        ...['key', 'crt', 'ca'].map((end) => texts.get(`${folder}/${name}.${end}`) ?? ''),
      )
    : null
  if (isTls && certificate === null)
    report.left(`certificate of ${name}`, 'Key and certificate are not both in the archive.')
  report.taken(subject)
  return {
    name,
    aliases: splitTrimmed(get('ALIAS'), ',').filter((one) => one !== ''),
    root,
    phpVersion,
    redirectHttps: isYes(get('SSL_FORCE')),
    hsts: isYes(get('SSL_HSTS')),
    certificate,
  }
}

const databaseOf = (source: Source, folder: string): ForeignDatabase | null => {
  const { texts, own, report } = source
  const subject = `database ${folder}`
  const fields = readQuotedPairs(texts.get(`db/${folder}/${own}/db.conf`) ?? '')
  const type = fields.get('TYPE')
  const name = fields.get('DB') ?? folder
  const dump = source.folders
    .get(`db/${folder}`)
    ?.find((one) => /\.(?:mysql|pgsql)\.sql(?:\.(?:zst|gz))?$/.test(one))
  if (dump === undefined || (type !== 'mysql' && type !== 'pgsql')) {
    report.left(subject, 'Its dump or its db.conf is not in the archive.')
    return null
  }
  const hash = readCarriedHash(fields.get('MD5') ?? '')
  const user = fields.get('DBUSER') ?? ''
  report.taken(subject)
  return {
    engine: type === 'mysql' ? 'mariadb' : 'postgresql',
    name,
    dump,
    compression: compressionOf(dump),
    form: 'sql',
    charset: fields.get('CHARSET') ?? null,
    collation: null,
    // The archive's file of grants is overwritten by its second query, so it does not tell.
    users: user === '' ? [] : [{ name: user, hash, privileges: ['ALL PRIVILEGES'] }],
  }
}

const treesOf = ({ names }: Source): ForeignTree[] => {
  const trees: ForeignTree[] = []
  for (const member of names) {
    const domain = /^web\/([^/]+)\/domain_data\.tar(?:\.(?:gz|zst))?$/.exec(member)?.[1]
    const isEntry = /^user_dir\/[^/]+\.tar(?:\.(?:gz|zst))?$/.test(member)
    const into = domain === undefined ? (isEntry ? '' : null) : `web/${domain}`
    if (into !== null) trees.push({ member, compression: compressionOf(member), into })
  }
  return trees
}

const cronOf = ({ texts, report }: Source): ForeignCronJob[] => {
  const lines = createCronLines(report)
  for (const line of (texts.get('cron/cron.conf') ?? '').split('\n')) {
    if (line.trim() === '') continue
    const fields = readQuotedPairs(line)
    const times = ['MIN', 'HOUR', 'DAY', 'MONTH', 'WDAY'].map((name) => fields.get(name) ?? '')
    const command = fields.get('CMD') ?? ''
    if (command === '' || times.some((time) => time === ''))
      lines.left(`cron line ${toldLine(line)}`, 'It is no cron job: a time and a command are.')
    else
      lines.take({
        schedule: times.join(' '),
        command: command.replaceAll('%quote%', "'").replaceAll('%dots%', ':'),
        timeZone: null,
        enabled: !isYes(fields.get('SUSPENDED')),
      })
  }
  lines.end()
  return lines.jobs
}

const reportOthers = ({ folders, report }: Source): void => {
  for (const zone of foldersBelow({ folders }, 'dns'))
    report.left(`DNS zone ${zone}`, 'Berth has no name server; move the zone to your provider.')
  for (const domain of foldersBelow({ folders }, 'mail'))
    report.left(`mail of ${domain}`, 'Berth has no mail server.')
}

/** Whether the archive is one of HestiaCP or VestaCP, and which. */
export const isHestia = ({ texts }: SurveyedArchive): 'hestia' | 'vesta' | null =>
  texts.has('hestia/user.conf') ? 'hestia' : texts.has('vesta/user.conf') ? 'vesta' : null

/** Reads a user archive of HestiaCP or VestaCP; `own` is what `isHestia` answered. */
export const readHestia = (archive: SurveyedArchive, own: 'hestia' | 'vesta'): ForeignAccount => {
  const user = readQuotedPairs(archive.texts.get(`${own}/user.conf`)?.replaceAll('\n', ' ') ?? '')
  const passwd = (archive.texts.get('pam/passwd') ?? '').split('\n', 1)[0]?.split(':') ?? []
  const username = user.get('NAME') ?? passwd[0] ?? ''
  const home = passwd[5] ?? `/home/${username}`
  const report = createReportLines()
  const folders = namesByFolder(archive.names)
  const source: Source = { ...archive, own, home, folders, report }
  const domains = foldersBelow(source, 'web')
    .map((name) => domainOf(source, name))
    .filter((domain) => domain !== null)
  const databases = foldersBelow(source, 'db')
    .map((folder) => databaseOf(source, folder))
    .filter((database) => database !== null)
  const cron = cronOf(source)
  reportOthers(source)
  report.left(
    'password of the account',
    'It is kept in a form that only the other panel checks: the account gets a new one.',
  )
  return {
    panel: own,
    username,
    email: user.get('CONTACT') ?? null,
    uid: /^\d{1,9}$/.test(passwd[2] ?? '') ? Number(passwd[2]) : null,
    home,
    suspended: isYes(user.get('SUSPENDED')),
    phpVersion: null,
    primaryDomain: domains[0]?.name ?? '',
    domains,
    databases,
    cron,
    trees: treesOf(source),
    report: report.lines,
  }
}
