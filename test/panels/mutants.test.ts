import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WHOLE } from '#test/support/sampled.ts'

const CHECKOUT = resolve(import.meta.dirname, '../..')
const COPIED = ['adapters', 'cli', 'edge-cache', 'handlers', 'scripts', 'src', 'test']
const FILES = ['package.json', 'tsconfig.json', 'vitest.config.ts', 'svelte.config.js']

/** A defect that is put into a copy of the sources, and the test that must see it. */
interface Mutant {
  name: string
  file: string
  from: string
  to: string
  seenBy: string
  test: string
}

const MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent that obeys turns that are over',
    file: 'adapters/node/agent/registry/terms.ts',
    from: 'if (known !== undefined && known > term) return known',
    to: '',
    seenBy: 'test/node/link/turns.test.ts',
    test: 'keeps the latest turn',
  },
  {
    name: 'a store that is written by panels whose turn is over',
    file: 'adapters/node/store/postgres/postgres-batch.ts',
    from: 'if (rowCount === 0) throw new Superseded(turn.subject)',
    to: 'if (rowCount === -1) throw new Superseded(turn.subject)',
    seenBy: 'test/node/store/two-panels.test.ts',
    test: 'what is written in a turn is refused',
  },
  {
    name: 'fronts that take the marks of another server of Redis for their own',
    file: 'edge-cache/stores/redis/marks.ts',
    from: "local same = redis.call('HGET', key, 'server') == server",
    to: 'local same = true',
    seenBy: 'test/node/cache-redis/failover.test.ts',
    test: 'are not missed when',
  },
]

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'berth-mutants-'))
  for (const name of COPIED) cpSync(join(CHECKOUT, name), join(copy, name), { recursive: true })
  for (const name of FILES) cpSync(join(CHECKOUT, name), join(copy, name))
  symlinkSync(join(CHECKOUT, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** What comes of a test in the copy. */
const outcomeOf = async ({
  seenBy,
  test: name,
}: Mutant): Promise<{ code: number; said: string }> => {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', '--no-color', seenBy, '-t', name], {
    cwd: copy,
    env: { ...process.env, BERTH_TEST_CACHE: join(copy, '.cache') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? -1, said }
}

test.each(WHOLE ? MUTANTS : MUTANTS.slice(0, 1))(
  '$name: seen by $seenBy',
  async (mutant) => {
    const file = join(copy, mutant.file)
    const whole = readFileSync(file, 'utf8')
    expect(whole.split(mutant.from)).toHaveLength(2)
    writeFileSync(
      file,
      whole.replace(mutant.from, () => mutant.to),
    )
    try {
      const { code, said } = await outcomeOf(mutant)
      // A test that failed, not one that could not begin.
      expect([code, said]).toEqual([1, expect.stringMatching(/Tests .*[1-9]\d* failed/)])
    } finally {
      writeFileSync(file, whole)
    }
    if (!WHOLE) return
    const { code, said } = await outcomeOf(mutant)
    expect([code, said]).toEqual([0, expect.stringMatching(/Tests .*[1-9]\d* passed/)])
  },
  300_000,
)
