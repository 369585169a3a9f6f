import { resolve } from 'node:path'
import { CoreError } from '#adapters/node/wordpress-cores/core-error.ts'
import { coresIn, dropCore, storeCore } from '#adapters/node/wordpress-cores/core-store.ts'
import type { StoredCore } from '#adapters/node/wordpress-cores/core-store.ts'
import { fetchCore } from '#adapters/node/wordpress-cores/official/official-cores.ts'
import { officialPlace } from '#adapters/node/wordpress-cores/official/official-place.ts'
import { sumBeside, takePlacedCores } from '#adapters/node/wordpress-cores/placed-cores.ts'
import { compareVersions } from '#handlers/domain/wordpress/compare-versions.ts'
import { LOCALE_NAME } from '#handlers/domain/wordpress/read-official.ts'
import { CliError } from '../cli-error.ts'
import { loadOrFail } from '../load-or-fail.ts'
import type { LocalCall, ResourceSpec } from '../panel/frame/command-types.ts'
import { printTable } from '../terminal/print-table.ts'
import type { Column } from '../terminal/print-table.ts'

const COLUMNS: Column<Pick<StoredCore, 'name' | 'origin' | 'compared' | 'file'>>[] = [
  { title: 'VERSION', value: ({ name }) => name },
  { title: 'FROM', value: ({ origin }) => origin },
  { title: 'COMPARED', value: ({ compared }) => (compared ? 'yes' : 'no') },
  { title: 'FILE', value: ({ file }) => file },
]
const VERSION = /^\d+\.\d+(\.\d+)?(-(alpha|beta|RC)\d*)?$/
const SHA256 = /^[0-9a-f]{64}$/i

/** What can be mended by who typed the command is told without a stack. */
const told = async <T>(work: Promise<T>, about = ''): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof CoreError) throw new CliError(`${about}${error.message}.`)
    if (error instanceof Error && 'code' in error && ['EACCES', 'EPERM'].includes(`${error.code}`))
      throw new CliError(`${error.message}. Run it as root, or who started Berth.`)
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new CliError(`${error.message}.`)
    throw error
  }
}

/** Where cores lie, and what does. */
const look = async ({ configFile }: LocalCall) => {
  const { paths, wordpress } = await loadOrFail(configFile)
  const directory = coresIn(paths.state_dir)
  const found = await told(takePlacedCores(wordpress.cores, directory, new Map()))
  return { directory, ...found }
}

const list = async (call: LocalCall): Promise<void> => {
  const { cores, refused } = await look(call)
  const rows = cores
    .toSorted((a, b) => compareVersions(b.version, a.version))
    .map(({ name, version, locale, origin, file, sha256, compared }) => ({
      ...{ name, version, locale, origin, file, sha256, compared },
    }))
  call.print({ cores: rows, refused }, () => {
    printTable(rows, COLUMNS, 'None was added.')
    for (const { file, problem } of refused) console.log(`Refused: ${file}: ${problem}.`)
  })
}

/** A version alone is fetched. */
const fetched = async (call: LocalCall, version: string): Promise<void> => {
  const locale = call.options.text('language') ?? null
  if (locale !== null && !LOCALE_NAME.test(locale))
    throw new CliError('--language must be one as WordPress calls it, e.g. de_DE.', 2)
  const { wordpress } = await loadOrFail(call.configFile)
  const place = officialPlace(wordpress)
  if (place === null)
    throw new CliError(
      'Nothing is fetched here: official = false in [wordpress]. Add an archive instead.',
    )
  const { directory } = await look(call)
  const core = { version, locale: locale === 'en_US' ? null : locale }
  const { name } = await told(fetchCore(place, core, directory))
  call.print({ name, compared: true }, `WordPress ${name} is there for sites.`)
}

const add = async (call: LocalCall): Promise<void> => {
  const [archive = ''] = call.args
  if (VERSION.test(archive)) return fetched(call, archive)
  const given = call.options.text('sha256')
  if (given !== undefined && !SHA256.test(given))
    throw new CliError('--sha256 must be the 64 digits that sha256sum prints.', 2)
  const { directory } = await look(call)
  const file = resolve(archive)
  const about = `${archive} is not taken: `
  const sha256 = given?.toLowerCase() ?? (await told(sumBeside(file), about))
  const core = { file, origin: 'archive' as const, sha256, key: null }
  const { name, compared } = await told(storeCore(core, directory), about)
  const note = compared ? '' : ' Nobody told its SHA-256, so it was not compared.'
  call.print({ name, compared }, `WordPress ${name} is there for sites.${note}`)
}

const remove = async (call: LocalCall): Promise<void> => {
  const [name = ''] = call.args
  const { directory, cores } = await look(call)
  const core = cores.find((one) => one.name === name)
  if (core === undefined)
    throw new CliError(
      `WordPress ${name} was not added here. Added: ${cores.map((one) => one.name).join(', ') || 'none'}.`,
    )
  if (core.key !== null)
    throw new CliError(`It is unpacked from ${core.file}, and goes with that: remove that file.`)
  await told(dropCore(core, directory))
  call.print({ name, removed: true }, `WordPress ${name} is removed; sites that have it keep it.`)
}

/** `berth wordpress core list | add | remove`. */
export const wordpressCores: ResourceSpec = {
  name: 'core',
  summary: 'archives of WordPress that sites are installed from, on this host (as root)',
  commands: {
    list: {
      summary: 'list what was added, or lies in the configured directories, and what is refused',
      note: 'berth wordpress sources shows these with the unpacked trees of [wordpress] sources.',
      examples: ['berth wordpress core list'],
      act: list,
    },
    add: {
      summary: 'add a version, fetched from wordpress.org or out of an archive of theirs',
      note: 'It counts at once. What is fetched is compared with the SHA-1 that wordpress.org tells ([wordpress] official_downloads names a mirror). An archive with wp-config.php in it, with links, or with names that lead out of it is refused. Its SHA-256 is compared with the one given, or with the one in <archive>.sha256 where that file is there.',
      args: [
        [
          '<archive>',
          'as wordpress-6.5.2.zip, or wordpress-6.5.2-de_DE.tar.gz; or a version, as 6.5.2',
        ],
      ],
      options: [
        ['--sha256 <sum>', 'what the SHA-256 of an archive must be'],
        ['--language <language>', 'of a version that is fetched, e.g. de_DE (default: English)'],
      ],
      examples: [
        'berth wordpress core add 6.5.2 --language de_DE',
        'berth wordpress core add ./wordpress-6.5.2.zip',
        'berth wordpress core add ./wordpress-6.5.2-de_DE.tar.gz --sha256 "$SUM"',
      ],
      act: add,
    },
    remove: {
      summary: 'remove a version that was added',
      note: 'Sites that were made of it keep it.',
      args: [['<version>', 'as berth wordpress core list shows it']],
      examples: ['berth wordpress core remove 6.4.1'],
      act: remove,
    },
  },
}
