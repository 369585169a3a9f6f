import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * @typedef {object} Mutant one thing left out, without which a promise does not hold
 * @property {string} name what is left out
 * @property {string} file
 * @property {string} from text that stands there once
 * @property {string} to what takes its place
 * @property {string} test the file of tests that must notice
 * @property {string} only the tests of it that are run
 */

/** @type {readonly Mutant[]} */
export const MUTANTS = [
  {
    name: 'an agent obeys turns that are over',
    file: 'adapters/node/agent/registry/terms.ts',
    from: 'if (known !== undefined && known > term) return known',
    to: '',
    test: 'test/node/link/turns.test.ts',
    only: 'keeps the latest turn',
  },
  {
    name: 'the store is written by panels whose turn is over',
    file: 'adapters/node/store/postgres/postgres-batch.ts',
    from: 'if (rowCount === 0) throw new Superseded(turn.subject)',
    to: 'if (rowCount === -1) throw new Superseded(turn.subject)',
    test: 'test/node/store/two-panels.test.ts',
    only: 'what is written in a turn is refused',
  },
  {
    name: 'a Redis that takes the place of another is taken for the same',
    file: 'edge-cache/stores/redis/marks.ts',
    from: "local same = redis.call('HGET', key, 'server') == server",
    to: 'local same = true',
    test: 'test/node/cache-redis/failover.test.ts',
    only: 'starts with an older file',
  },
  {
    name: 'a web server that is cut off from Redis goes on with what it has stored',
    file: 'adapters/node/web-server/cache/redis/strict-purges.ts',
    from: 'untilMs = sentMs + LEASE_MS\n',
    to: 'untilMs = sentMs + 1_000_000 * LEASE_MS\n',
    test: 'test/node/cache-redis/strict.test.ts',
    only: 'whose packets are swallowed',
  },
  {
    name: 'a purge is answered before all web servers have applied it',
    file: 'adapters/node/web-server/cache/redis/strict-purges.ts',
    from: 'if (behind?.length === 0 && now >= waiter.notBeforeMs) return end(waiter)',
    to: 'if (behind !== undefined) return end(waiter)',
    test: 'test/node/cache-redis/strict.test.ts',
    only: 'whose packets are swallowed',
  },
  {
    name: 'a front that is cut off from Redis goes on with what it has stored',
    file: 'adapters/node/web-server/cache/redis/strict-purges.ts',
    from: 'untilMs = sentMs + LEASE_MS\n',
    to: 'untilMs = sentMs + 1_000_000 * LEASE_MS\n',
    test: 'test/fronts/web-fronts.test.ts',
    only: 'also where one is cut from Redis',
  },
  {
    name: 'a suspension waits for the host before fronts are told',
    file: 'handlers/services/accounts/operations.ts',
    from: 'if (locked) await deps.fronts.bringAccount(username)',
    to: '',
    test: 'test/node/contract/hosts/fronts.test.ts',
    only: 'a suspension is at the fronts',
  },
  {
    name: 'anybody is believed who says for whom he asks',
    file: 'adapters/node/web-server/front/told-facts.ts',
    from: 'if (!fronts.has(socket)) return own',
    to: 'if (!fronts.has(socket) && headers[VISITOR_FIELD] === undefined) return own',
    test: 'test/fronts/web-fronts.test.ts',
    only: 'tell the host who the visitor is',
  },
  {
    name: 'a host calls a purge told that no front has carried out',
    file: 'adapters/node/web-server/front/purges-for-fronts.ts',
    from: "if (!isAsked) return 'kept'",
    to: "if (!isAsked) return 'shared'",
    test: 'test/unit/web-server/front/purges-between.test.ts',
    only: 'are kept where no front asks',
  },
]

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = new Set(['node_modules', '.git', 'build', 'dist', '.cache', '.svelte-kit', 'var'])

/**
 * Makes a copy of the tree, without what the mutant leaves out or whole, and runs the tests there.
 *
 * @param {Mutant} mutant
 * @param {{ isWhole?: boolean }} [options] `isWhole`: nothing is left out. Default false
 * @returns {{ noticed: boolean, passed: boolean, output: string }} `noticed`: a test failed
 */
export const tryMutant = ({ file, from, to, test, only }, { isWhole = false } = {}) => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-mutant-'))
  try {
    cpSync(ROOT, directory, {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(basename(source)) || source === ROOT,
    })
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
    const text = readFileSync(join(directory, file), 'utf8')
    if (text.split(from).length !== 2) throw new Error(`${file} does not say once: ${from}`)
    if (!isWhole)
      writeFileSync(
        join(directory, file),
        text.replace(from, () => to),
      )
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', test, '-t', only],
      {
        cwd: directory,
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          BERTH_TEST_CACHE: join(directory, '.cache'),
        },
      },
    )
    const output = `${stdout}${stderr}`
    return {
      noticed: status === 1 && output.includes('Failed Tests'),
      passed: status === 0 && /\d passed/.test(output),
      output,
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let lived = 0
  for (const mutant of MUTANTS) {
    const { noticed, output } = tryMutant(mutant)
    console.log(`${noticed ? 'noticed' : 'LIVES  '} ${mutant.name} (${mutant.test})`)
    if (noticed) continue
    lived++
    console.log(output.split('\n').slice(-30).join('\n'))
  }
  process.exitCode = lived === 0 ? 0 : 1
}
