import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createHooksPort } from '#adapters/node/agent/hooks/hooks-port.ts'
import { createHooksLog } from '#adapters/node/agent/hooks/hooks-log.ts'
import type { HooksPort } from '#handlers/ports/host/hooks.ts'
import { hooksPortContract } from '#test/contract/host/hooks-port.ts'
import { createFakeHooks } from '#test/fakes/fake-hooks.ts'

/** `nobody`: any user that is not root. */
const NOBODY = { uid: 65_534, gid: 65_534, groups: 'none' as const }
const EVENT = 'account.created'

let base = ''
let hooks: HooksPort
beforeEach(async () => {
  // Not below /tmp, which everybody may write to.
  base = await mkdtemp('/var/lib/bt-hooks-')
  await chmod(base, 0o755)
  hooks = createHooksPort({
    directory: join(base, 'hooks.d'),
    runAs: NOBODY,
    timeoutMs: 20_000,
    atOnce: 2,
    log: createHooksLog(base),
  })
})
afterEach(() => rm(base, { recursive: true, force: true }))

const add = async (name: string, script: string, event = EVENT): Promise<string> => {
  const directory = join(base, 'hooks.d', event)
  await mkdir(directory, { recursive: true, mode: 0o755 })
  const file = join(directory, name)
  await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  await chmod(file, 0o755)
  return file
}
const run = (message = '{}') => hooks.run({ event: EVENT, message })
const logged = async (): Promise<Record<string, unknown>[]> =>
  (await readFile(join(base, 'hooks.log'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

hooksPortContract('programs of the machine', async () => ({
  hooks,
  add: async (event, name) =>
    void (await add(name, name.startsWith('bad') ? 'exit 3' : 'cat >/dev/null', event)),
  dispose: () => Promise.resolve(),
}))
hooksPortContract('fake', async () => {
  const fake = createFakeHooks()
  return {
    hooks: fake,
    add: (event, name) => {
      fake.programs.set(event, [...(fake.programs.get(event) ?? []), name])
      return Promise.resolve()
    },
    dispose: () => Promise.resolve(),
  }
})

describe('hooks', () => {
  test('get the message on standard input, no arguments, a clean environment, not root', async () => {
    process.env['BT_SECRET'] = 'x'
    await add('show', 'echo "$# $(id -u) ${BT_SECRET-none} $BERTH_EVENT $(cat)"')
    const message = '{"username":"$(touch /tmp/x); `id`","id":"event-1"}'
    expect(await run(message)).toEqual({ ran: 1, failed: [] })
    expect((await logged())[0]?.['output']).toBe(`0 65534 none ${EVENT} ${message}\n`)
  })

  test('that somebody else may change are refused: file, directory, what is above, links, pipes', async () => {
    await add('good', 'exit 0')
    await chmod(await add('writable', 'exit 0'), 0o777)
    const foreign = await add('foreign', 'exit 0')
    await chown(foreign, NOBODY.uid, NOBODY.gid)
    await symlink(foreign, join(base, 'hooks.d', EVENT, 'link'))
    await chmod(await add('plain', 'exit 0'), 0o644)
    await add('editor.bak', 'exit 0')
    const outcome = await run()
    expect(outcome.ran).toBe(1)
    expect(outcome.failed.sort()).toEqual(['editor.bak', 'foreign', 'link', 'plain', 'writable'])
    const refusals = (await logged()).filter(({ msg }) => msg === 'hook refused')
    expect(refusals).toHaveLength(5)

    await chmod(join(base, 'hooks.d'), 0o777)
    expect(await run()).toMatchObject({ ran: 0 })
    await chmod(join(base, 'hooks.d'), 0o755)
    await chown(join(base, 'hooks.d', EVENT), NOBODY.uid, NOBODY.gid)
    expect(await run()).toMatchObject({ ran: 0 })
    await chown(join(base, 'hooks.d', EVENT), 0, 0)
    expect(await run()).toMatchObject({ ran: 1 })
  })

  test('that write without end are ended, and their output is cut', async () => {
    await add('yes', 'exec yes')
    expect(await run()).toEqual({ ran: 1, failed: ['yes'] })
    const [entry] = await logged()
    expect(entry?.['reason']).toMatch(/more than 65536 bytes/)
    expect(String(entry?.['output']).length).toBeLessThanOrEqual(4000)
  })

  test('that take too long are ended with what they started', async () => {
    hooks = createHooksPort({
      directory: join(base, 'hooks.d'),
      runAs: NOBODY,
      timeoutMs: 1500,
      atOnce: 2,
      log: createHooksLog(base),
    })
    await add('slow', 'sleep 3600 & echo $!; wait')
    expect(await run()).toEqual({ ran: 1, failed: ['slow'] })
    const [entry] = await logged()
    expect(entry?.['reason']).toMatch(/ended after 1.5 s/)
    const stat = `/proc/${String(entry?.['output']).trim()}/stat`
    // Gone, or dead and not collected by process 1.
    await expect.poll(() => readFile(stat, 'utf8').catch(() => ') Z')).toMatch(/\) [ZX]/)
  })

  test('do not keep anybody waiting who left something behind, and at most so many run at once', async () => {
    await add('leaves', 'sleep 3600 & exit 0')
    expect(await run()).toEqual({ ran: 1, failed: [] })
    await rm(join(base, 'hooks.d'), { recursive: true })
    await mkdir(join(base, 'seen'), { mode: 0o777 })
    await chmod(join(base, 'seen'), 0o777)
    await add(
      'count',
      `touch ${base}/seen/$$; ls ${base}/seen | wc -l; sleep 0.3; rm ${base}/seen/$$`,
    )
    await Promise.all([run(), run(), run(), run(), run()])
    const counts = (await logged())
      .filter(({ hook }) => String(hook).endsWith('count'))
      .map(({ output }) => Number(output))
    expect(counts).toHaveLength(5)
    expect(Math.max(...counts)).toBeLessThanOrEqual(2)
  })
})
