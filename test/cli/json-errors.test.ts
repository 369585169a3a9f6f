import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError, type Command } from 'commander'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'
import { buildProgram } from '../../cli/program.ts'
import { Berth } from './support/run-berth.ts'

interface Failure {
  error: string
  exit_code: number
}

let dir: string
let berth: Berth
beforeAll(() => {
  dir = temporaryDirectory('bjson-')
  berth = new Berth()
})
afterAll(() => {
  berth.remove()
})

const failing = async (command: string, args: readonly string[] = []): Promise<Failure> => {
  const { code, stdout, stderr } = await berth.run(command, [...args, '--json'])
  expect(stdout).toBe('')
  const failure = JSON.parse(stderr) as Failure
  expect(failure.exit_code).toBe(code)
  return failure
}

test('what is wrong with a command line is JSON too', async () => {
  expect(await failing('nosuch')).toEqual({
    error: expect.stringContaining("unknown command 'nosuch'"),
    exit_code: 2,
  })
  expect((await failing('service')).error).toContain('The name of a command is missing')
  expect((await failing('license issue')).error).toContain('--key')
})

test('so are mistakes of the configuration, and a panel that does not answer', async () => {
  const file = join(dir, 'berth.toml')
  writeFileSync(file, '[cache]\nmemory_limit = "x"\n')
  const wrong = await failing('service status', ['--config', file])
  expect([wrong.exit_code, wrong.error]).toEqual([2, expect.stringContaining('memory_limit')])
  writeFileSync(file, '[paths]\nstate_dir = "state"\n')
  expect((await failing('accounts list', ['--config', file])).exit_code).toBe(1)
  expect((await failing('accounts list', ['--url', 'http://127.0.0.1:9'])).exit_code).toBe(1)
  const input = { input: 'long enough 1\n' }
  const admin = await berth.run('admin create', ['root1', '--json', '--config', file], input)
  expect([admin.code, admin.stdout]).toEqual([1, ''])
  expect((JSON.parse(admin.stderr) as Failure).error).toContain('There is no')
})

test('an option of that name behind -- is none', async () => {
  const operands = ['--', '--json']
  const { stderr } = await berth.run('nosuch', operands)
  expect(stderr).toContain('error: unknown command')
})

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)

const pathOf = (command: Command): string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()]

test('no command prints a mistake for people when JSON is asked for', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const paths = leaves(buildProgram()).map(pathOf)
    expect(paths.length).toBeGreaterThan(60)
    for (const path of paths) {
      const run = buildProgram(true).parseAsync(['node', 'berth', ...path, '--zzz', '--json'])
      await expect(run, path.join(' ')).rejects.toBeInstanceOf(CommanderError)
    }
    expect(said.mock.calls).toEqual([])
  } finally {
    said.mockRestore()
  }
})
