import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { de } from '../../../src/lib/texts/de/de.ts'
import { frame } from '../../../src/lib/texts/en/frame.ts'
import { backupsPart } from '../../../src/lib/texts/en/parts/backups.ts'
import { cachePart } from '../../../src/lib/texts/en/parts/cache.ts'
import { dataPart } from '../../../src/lib/texts/en/parts/data.ts'
import { programsPart } from '../../../src/lib/texts/en/parts/programs.ts'
import { machinesPart } from '../../../src/lib/texts/en/parts/machines.ts'
import { settingsPart } from '../../../src/lib/texts/en/parts/settings.ts'
import { sitesPart } from '../../../src/lib/texts/en/parts/sites.ts'
import { partsOf, type TextsPart } from '../../../src/lib/texts/parts.ts'

const SRC = resolve(import.meta.dirname, '../../../src')
const ROUTES = join(SRC, 'routes')
const PARTS: Record<TextsPart, object> = {
  sites: sitesPart,
  data: dataPart,
  backups: backupsPart,
  cache: cachePart,
  programs: programsPart,
  settings: settingsPart,
  machines: machinesPart,
}
/** Fetched by the load function of the dashboard, each with its own parts. */
const DASHBOARDS = ['host', 'own/own', 'reseller'].map((name) =>
  join(SRC, `lib/components/dashboard/${name}-dashboard.svelte`),
)

/** `import … from '…'` and `import('…')`, not that of types. */
const IMPORTS = /(?:^|\n)\s*(?:import|export)\s(?!type\s)[^'(]*'([^']+)'|\bimport\('([^']+)'\)/g
const ENDINGS = ['', '.ts', '.svelte', '/index.ts']

const find = (from: string, spec: string): string | null => {
  const path = spec.startsWith('$lib/')
    ? join(SRC, 'lib', spec.slice('$lib/'.length))
    : spec.startsWith('.')
      ? join(dirname(from), spec)
      : null
  if (path === null) return null
  const ending = ENDINGS.find((one) => existsSync(path + one) && statSync(path + one).isFile())
  return ending === undefined ? null : path + ending
}

/** The texts that a page may read, with all that it imports, also later. */
const textsOf = (entries: readonly string[]): Set<string> => {
  const files = new Set(entries)
  const read = new Set<string>()
  for (const file of files) {
    const source = readFileSync(file, 'utf8')
    for (const [, name = ''] of source.matchAll(/\btexts\.(\w+)/g)) read.add(name)
    for (const [, name = ''] of source.matchAll(/\{([^{}]*)\} = texts\b(?!\.)/g))
      for (const one of name.split(',')) read.add(one.trim().replace(/:.*/, ''))
    for (const [, fixed, lazy] of source.matchAll(IMPORTS)) {
      const next = find(file, fixed ?? lazy ?? '')
      if (next !== null && !next.includes('/lib/texts/')) files.add(next)
    }
  }
  return read
}

const missing = (entries: readonly string[], parts: readonly TextsPart[]): string[] => {
  const there = [frame, ...parts.map((part) => PARTS[part])]
  return [...textsOf(entries)].filter((name) => !there.some((part) => name in part)).sort()
}

describe('the parts of the texts', () => {
  const pages = globSync('**/+page.svelte', { cwd: ROUTES })

  it.each(pages)('hold what is read on %s', (page) => {
    const pathname = `/${dirname(page).replace(/^\(app\)\/?/, '')}`.replace(/\.$/, '')
    expect(missing([join(ROUTES, page)], partsOf(pathname))).toEqual([])
  })

  it('hold what is read around every page', () => {
    const around = globSync(['**/+layout.svelte', '**/+error.svelte'], { cwd: ROUTES })
    expect(
      missing(
        around.map((file) => join(ROUTES, file)),
        [],
      ),
    ).toEqual([])
  })

  it('hold what is read on each dashboard', () => {
    const [host = '', own = '', reseller = ''] = DASHBOARDS
    expect(missing([host], [])).toEqual([])
    expect(missing([own, reseller], ['sites'])).toEqual([])
  })

  it('have no text twice and leave none out', () => {
    const names = [frame, ...Object.values(PARTS)].flatMap((part) => Object.keys(part))
    expect(names.toSorted()).toEqual(Object.keys(de).toSorted())
  })
})
