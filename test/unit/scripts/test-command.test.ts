import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { takeTurns, TURNS } from '../../../scripts/lanes/take-turns.mjs'
import { sampled } from '#test/support/sampled.ts'

const COMMAND = join(import.meta.dirname, '../../../scripts/test.mjs')

const run = (...args: string[]): Promise<{ code: number; text: string }> =>
  promisify(execFile)(process.execPath, [COMMAND, ...args]).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, text: error.stderr }),
  )

describe('npm test', () => {
  it.each([
    [['nonsense'], /No such tests: nonsense\. There are: unit, contract,/],
    [['test/unit/nowhere.test.ts'], /No such test file: test\/unit\/nowhere\.test\.ts/],
    [['unit', 'test/unit/free-ports.test.ts'], /Name projects or files, not both/],
    [['--lanes', '0'], /--lanes takes a number from 1 to 64, not "0"/],
    [['--nonsense'], /Unknown option '--nonsense'/],
  ])('says what is wrong with %j, and how it is used', async (args, sentence) => {
    const { code, text } = await run(...args)
    expect(code).toBe(2)
    expect(text).toMatch(sentence)
    expect(text).toContain('--fresh')
  })

  it('tells how it is used', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, text: expect.stringMatching(/--seed N/) })
  })
})

describe('a sampled matrix', () => {
  beforeEach(() => {
    const printed = vi.spyOn(console, 'log').mockReturnValue(undefined)
    return () => printed.mockRestore()
  })
  const cases = Array.from({ length: 100 }, (_, at) => at)

  it('has as many cases as are kept, in their order, the same each time', () => {
    const some = sampled('one', cases, { keep: 7 })
    expect(some).toHaveLength(process.env['BERTH_TEST_WHOLE'] === '1' ? 100 : 7)
    expect([...some].sort((a, b) => a - b)).toEqual(some)
    expect(sampled('one', cases, { keep: 7 })).toEqual(some)
  })

  it('is whole where all are kept', () => {
    expect(sampled('two', cases, { keep: 100 })).toEqual(cases)
  })
})

describe('drills that take turns', () => {
  it('are files that there are, each in one group', () => {
    const files = TURNS.flatMap((group) => group.files)
    const root = join(import.meta.dirname, '../../..')
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(new Set(files).size).toBe(files.length)
    for (const { keep, files: some } of TURNS) expect(keep).toBeLessThan(some.length)
  })

  it('are some of each group, the same for a seed, and all have their turn', () => {
    const groups = [{ name: 'some', keep: 2, files: ['a', 'b', 'c', 'd', 'e'] }]
    const seen = new Set<string>()
    for (let seed = 0; seed < 40; seed += 1) {
      const { leftOut, samples } = takeTurns(String(seed), groups)
      expect(leftOut.size).toBe(3)
      expect(takeTurns(String(seed), groups).leftOut).toEqual(leftOut)
      expect(samples).toEqual([`files about some: 2 of 5 files, seed ${seed}`])
      for (const file of groups[0]?.files ?? []) if (!leftOut.has(file)) seen.add(file)
    }
    expect(seen.size).toBe(5)
  })
})
