import { expect, it } from 'vitest'
import { createSiteRules } from '#handlers/sites/htaccess/files/site-rules.ts'
import type { RuleText } from '#handlers/sites/rule-files.ts'
import { vhostOf } from '#test/contract/sites/sites-harness.ts'
import { memoryFiles } from './memory-site.ts'

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('unsafe requests that end together share a look at the rules, which begins behind them all', async () => {
  const reads: { path: string; give: (text: RuleText) => void }[] = []
  let changes = 0
  const rules = createSiteRules({
    files: memoryFiles({ '/': null }),
    ruleFiles: {
      read: ({ path }) => new Promise((give) => reads.push({ path, give })),
      verifyPassword: () => Promise.resolve(false),
    },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    nowMs: () => 0,
    changed: () => Promise.resolve(void changes++),
  })
  const vhost = vhostOf()
  const over: number[] = []
  const ask = (number: number, file: string): Promise<void> =>
    rules.recheck(vhost, file).then(() => void over.push(number))

  const all = [ask(0, '/index.php')]
  for (let number = 1; number <= 50; number++) all.push(ask(number, number === 7 ? '/a/x' : '/x'))
  await nextRound()
  expect(reads.map(({ path }) => path)).toEqual(['/.htaccess'])
  reads.splice(0).forEach(({ give }) => give({ kind: 'missing' }))
  await nextRound()
  // What the others' application wrote may have come behind the first look.
  expect(over).toEqual([0])
  expect(reads.map(({ path }) => path)).toEqual(['/.htaccess', '/a/.htaccess'])
  reads.splice(0).forEach(({ give }) => give({ kind: 'text', text: 'ETag None', stamp: '1' }))
  await Promise.all(all)
  expect(over).toHaveLength(51)
  expect([reads.length, changes]).toEqual([0, 1])

  const last = ask(51, '/x')
  await nextRound()
  expect(reads).toHaveLength(2)
  reads.splice(0).forEach(({ give }) => give({ kind: 'same' }))
  await last
  expect(changes).toBe(1)
})
