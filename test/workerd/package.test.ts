import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Miniflare } from 'miniflare'
import { afterAll, expect, test } from 'vitest'
import { bundleWorker } from './bundle-worker.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const directory = mkdtempSync(join(tmpdir(), 'berth-package-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const run = (args: string[], cwd: string) =>
  spawnSync(process.execPath, args, { cwd, encoding: 'utf8', timeout: 120_000 })

/** The first block of TypeScript of the package's README. */
const example = (): string =>
  /```ts\n([^]*?)```/.exec(readFileSync(join(ROOT, 'edge-cache/README.md'), 'utf8'))?.[1] ?? ''

test('a stranger has the package, its types and its ten lines, and they run', async () => {
  const packed = run(
    [join(ROOT, 'scripts/edge/pack-cache.ts'), join(directory, 'node_modules/berth-edge-cache')],
    ROOT,
  )
  expect(packed.stderr).toBe('')
  const entry = join(directory, 'worker.ts')
  const lines = example()
  expect(lines.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
  writeFileSync(entry, lines)
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  const typed = run(
    [
      join(ROOT, 'node_modules/typescript-native/bin/tsc'),
      ...['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext'],
      ...['--target', 'es2024', '--lib', 'es2024,dom,dom.iterable', '--types', '', entry],
    ],
    directory,
  )
  expect(typed.stdout).toBe('')

  let runs = 0
  const miniflare = new Miniflare({
    modules: true,
    script: await bundleWorker(entry),
    compatibilityDate: '2026-07-01',
    outboundService: () =>
      new Response(`run ${++runs}`, { headers: { 'content-type': 'text/html' } }),
  })
  try {
    const ask = async (path: string) => {
      const response = await miniflare.dispatchFetch(`https://www.example.com${path}`)
      return [await response.text(), response.headers.get('x-cache')]
    }
    expect(await ask('/news')).toEqual(['run 1', 'MISS'])
    expect(await ask('/news')).toEqual(['run 1', 'HIT'])
  } finally {
    await miniflare.dispose()
  }

  // The same package on Node, out of node_modules.
  mkdirSync(join(directory, 'node'))
  const script = join(directory, 'node/ask.mjs')
  writeFileSync(
    script,
    `import { cacheBefore, purgePath } from 'berth-edge-cache'
let runs = 0
const origin = async () => new Response('run ' + ++runs, { headers: { 'content-type': 'text/html' } })
const pages = cacheBefore({ origin })
const ask = async () => (await pages.handle(new Request('http://a.test/p'), '')).text()
const said = [await ask(), await ask()]
await pages.purge(purgePath('a.test', '/p'))
console.log(JSON.stringify([...said, await ask()]))`,
  )
  const told = run([script], directory)
  expect([told.stderr, told.stdout.trim()]).toEqual(['', '["run 1","run 1","run 2"]'])
})
