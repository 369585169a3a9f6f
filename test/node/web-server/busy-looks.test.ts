import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { existsFairly, openFairly } from '#adapters/node/web-server/files/open-fairly.ts'

const run = promisify(execFile)
const LOOK_AROUND = new URL('./support/look-around.mjs', import.meta.url).pathname
const directory = mkdtempSync(join(tmpdir(), 'looks-'))
const rivals: ChildProcess[] = []
afterAll(() => {
  for (const rival of rivals) rival.kill('SIGKILL')
  rmSync(directory, { recursive: true })
})

/** Runs where only one processor is to be had. */
const onOne = (argv: string[]): string[] => ['-c', '0', process.execPath, ...argv]

/** Links through links, each as long as one may be: a look takes the kernel milliseconds. */
const layLinks = (): string => {
  mkdirSync(join(directory, 'd'))
  const long = 'd/../'.repeat(800)
  for (let n = 0; n < 38; n++)
    symlinkSync(`${long}${n < 37 ? `c${n + 1}` : 'end'}`, join(directory, `c${n}`))
  return join(directory, 'c0')
}

it('does not hold against an account that others use the processor', async () => {
  for (let n = 0; n < 3; n++)
    rivals.push(spawn('taskset', onOne(['-e', 'for (;;);']), { stdio: 'ignore' }))
  const { stdout } = await run('taskset', onOne([LOOK_AROUND, directory, '1500']))
  for (const rival of rivals.splice(0)) rival.kill('SIGKILL')
  const told = JSON.parse(stdout) as { looks: number; refused: number; longestMs: number }
  expect(told.looks).toBeGreaterThan(1000)
  // Else nothing was shown.
  expect(told.longestMs).toBeGreaterThan(2)
  expect(told.refused).toBe(0)
})

it('leaves slow looks to the thread pool once their account has used up its share', async () => {
  const slow = layLinks()
  let looks = 0
  while (looks < 200 && existsFairly(directory, slow) !== null) looks++
  expect(looks).toBeLessThan(200)
  expect(existsFairly(directory, join(directory, 'none'))).toBeNull()
  await expect(openFairly(directory, join(directory, 'none'), 0)).rejects.toMatchObject({
    code: 'ENOENT',
  })
  // Neighbours have shares of their own.
  expect(existsFairly('/home/neighbour', join(directory, 'none'))).toBe(false)
})
