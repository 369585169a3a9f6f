import { chmodSync, chownSync, readFileSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { sampled } from '#test/support/sampled.ts'
import { OldTrial, type OldKind } from './old-trial.ts'
import { startSteadyClient } from './steady-client.ts'

const TURNS = ['apache', 'nginx', null] as const

/** All of `berth swap` with a real old server, of which each kind has a file. */
export const swapSuite = (kind: OldKind): void => {
  /** What goes on in Berth alone, whatever the old server is: at one of them or, by the seed, not this time. */
  const testAtOneKind = (name: string, body: () => Promise<void>): void => {
    if (sampled(`swap: ${name}`, TURNS, { keep: 1 }).includes(kind)) test(name, body)
  }

  let trial: OldTrial
  let config: string
  beforeAll(async () => {
    trial = await OldTrial.start(kind)
    config = readFileSync(trial.place.configFile, 'utf8')
  })
  afterAll(async () => {
    await trial?.remove()
  })
  const readConfig = (): string => readFileSync(trial.place.configFile, 'utf8')

  /** The old server serves, Berth does not run, and the configuration is what it was. */
  const expectAsBefore = async (): Promise<void> => {
    expect(await trial.servedBy('one.test')).toBe(`200 <title>one</title> ${kind}`)
    expect(await trial.servedBy('two.test', true)).toBe(`200 <title>two</title> ${kind}`)
    expect((await trial.berth.run('service status')).code).toBe(3)
    expect(readConfig()).toBe(config)
  }

  test('a dry run shows the plan and changes nothing', async () => {
    const before = trial.hash()
    const pid = trial.oldPid()
    const text = await trial.berth.ok('swap')
    expect(text).toContain(trial.configFile)
    expect(text).toContain('take over  one.test')
    expect(text).toContain('ask 5 addresses')
    const plan = await trial.berth.json<{ problems: string[]; config: string }>('swap', [])
    expect(plan.problems).toEqual([])
    expect(plan.config).toContain('domain = "two.test"')
    expect(trial.hash()).toBe(before)
    expect([trial.oldPid(), trial.state()]).toEqual([pid, null])
    await expectAsBefore()
  })

  test('going back without a swap is refused', async () => {
    const { code, stderr } = await trial.berth.run('swap', ['--revert'])
    expect([code, stderr]).toEqual([1, 'There is no swap to go back from.\n'])
    expect((await trial.berth.run('swap', ['--revert', '--swap'])).code).toBe(2)
  })

  test('a swap serves every site as before; --revert brings the old server back', async () => {
    const answer = await trial.berth.json<{ compared: number }>('swap', [
      ...['--swap', '--probe', '/missing', '--from', trial.configFile],
    ])
    expect(answer).toMatchObject({ phase: 'swapped', compared: 10 })
    expect(trial.oldPid()).toBeNull()
    expect(await trial.servedBy('one.test')).toBe('200 <title>one</title> berth')
    expect(await trial.servedBy('two.test', true)).toBe('200 <title>two</title> berth')
    expect(await trial.servedBy('three.test')).toMatch(/^200 <title>three<\/title>\d+ berth$/)
    const again = await trial.berth.run('swap', ['--swap'])
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already')])

    // Written anew from the configuration of a server that does not run any more.
    await trial.berth.ok('swap', ['--config-only'])
    expect(readConfig().match(/domain = "one\.test"/g)).toHaveLength(1)

    expect(await trial.berth.json('swap', ['--revert'])).toMatchObject({
      phase: 'reverted',
      differences: [],
    })
    await expectAsBefore()
  })

  test('neither a swap nor going back refuses a connection or cuts off a request', async () => {
    const client = startSteadyClient(trial.place.ports.http, 'one.test')
    const expectAnswered = async (): Promise<void> => {
      const { kinds } = await client.take()
      expect(Object.keys(kinds)).toEqual(['answered'])
    }
    try {
      await expect.poll(() => client.count()).toBeGreaterThan(20)
      await trial.berth.ok('swap', ['--swap'])
      await expectAnswered()
      await trial.berth.ok('swap', ['--revert'])
      await expectAnswered()
      await expect.poll(() => client.count()).toBeGreaterThan(20)
      await expectAnswered()
    } finally {
      await client.stop()
    }
    await expectAsBefore()
    // Other lanes, whose network is the same, may be swapping.
    const tables = (await mustRun('/usr/sbin/nft', ['list', 'tables'])).stdout
    expect(tables.split(/\s|_/)).not.toContain(String(trial.place.ports.http))
  })

  testAtOneKind('what a person changed meanwhile stays', async () => {
    await trial.berth.ok('swap', ['--swap'])
    writeFileSync(trial.place.configFile, `# mine\n${readConfig()}`)
    await trial.berth.ok('swap', ['--revert'])
    expect(readConfig()).toBe(`# mine\n${config}`)
    writeFileSync(trial.place.configFile, config)
    await expectAsBefore()
  })

  testAtOneKind('a site that would answer otherwise: it goes back by itself', async () => {
    // Readable by the old server's user alone.
    chownSync(trial.site('two'), 0, 33)
    chmodSync(trial.site('two'), 0o750)
    try {
      const { code, stdout, stderr } = await trial.berth.run('swap', ['--swap', '--json'])
      expect(code).toBe(1)
      expect(stderr).toContain(`may not use the document root ${trial.site('two')}.`)
      expect(stderr).toContain('two.test')
      expect(stderr).toMatch(/200 became 40[34]/)
      expect(JSON.parse(stdout)).toMatchObject({ phase: 'reverted' })
      expect(trial.state()?.phase).toBe('reverted')
      await expectAsBefore()
    } finally {
      chmodSync(trial.site('two'), 0o755)
    }
  })

  testAtOneKind(
    'what is known to differ keeps nobody from it, and nothing else is let pass',
    async () => {
      chownSync(trial.site('two'), 0, 33)
      chmodSync(trial.site('two'), 0o750)
      try {
        const { stdout } = await trial.berth.run('swap', ['--swap', '--json'])
        const told = JSON.parse(stdout) as { differences: { url: string; what: string }[] }
        const [first, ...others] = told.differences.map(({ url, what }) => `${url}: ${what}`)
        const accepting = async (lines: readonly (string | undefined)[]) => {
          writeFileSync(join(trial.berth.home, 'known'), `# known\n${lines.join('\n')}\n`)
          return trial.berth.run('swap', ['--swap', '--accept', 'known'])
        }
        const some = await accepting(others)
        expect(some.code).toBe(1)
        expect(some.stderr).toContain('1 of 5 addresses answer otherwise')
        const all = await accepting([first, ...others])
        expect(all.code, all.stderr).toBe(0)
        await trial.berth.ok('swap', ['--revert'])
        await expectAsBefore()
      } finally {
        chmodSync(trial.site('two'), 0o755)
      }
    },
  )

  test('an old server that could not be started again is left alone', async () => {
    const text = readFileSync(trial.configFile, 'utf8')
    const pid = trial.oldPid()
    try {
      // At the end of the file, where the conversion still understands the rest.
      writeFileSync(
        trial.configFile,
        `${text}\n${kind === 'apache' ? 'Nonsense on' : 'nonsense on;'}\n`,
      )
      const { code, stderr } = await trial.berth.run('swap', ['--swap'])
      expect(code).toBe(1)
      expect(stderr).toContain('could not be started again')
      expect(trial.oldPid()).toBe(pid)
    } finally {
      writeFileSync(trial.configFile, text)
    }
    await expectAsBefore()
  })

  testAtOneKind('a port that Berth would not serve is a reason not to', async () => {
    const { http } = trial.place.ports
    try {
      writeFileSync(trial.place.configFile, config.replace(`:${http}"`, `:${http + 1}"`))
      const { code, stdout } = await trial.berth.run('swap')
      expect([code, stdout]).toEqual([1, expect.stringContaining(`port ${http}`)])
      expect((await trial.berth.run('swap', ['--swap'])).code).toBe(1)
    } finally {
      writeFileSync(trial.place.configFile, config)
    }
    await expectAsBefore()
  })

  /** Starts a swap and kills it when its state names the step, or soon after. */
  const killAbout = async (phase: string): Promise<void> => {
    const directory = join(trial.place.dir, 'state/swap')
    const child = trial.berth.start('swap', ['--swap'])
    const ended = new Promise((done) => child.once('close', done))
    await new Promise<void>((done) => {
      const watcher = watch(directory, () => {
        if (trial.state()?.phase !== phase) return
        watcher.close()
        done()
      })
      void ended.then(() => (watcher.close(), done()))
    })
    child.kill('SIGKILL')
    await ended
  }
  /** Leaves a swap that was killed in this step. */
  const killAt = async (phase: string): Promise<void> => {
    for (let tries = 1; ; tries++) {
      await killAbout(phase)
      // A step may be over before the signal comes.
      if (trial.state()?.phase === phase || tries === 10) return
      await trial.berth.ok('swap', ['--revert'])
    }
  }

  for (const phase of ['configuring', 'starting', 'stopping', 'probing'])
    testAtOneKind(`killed at "${phase}", --revert brings all back`, async () => {
      await killAt(phase)
      expect(trial.state()?.phase).toBe(phase)
      await trial.berth.ok('swap', ['--revert'])
      await expectAsBefore()
    })

  testAtOneKind(
    'killed on the way back, --revert goes on; --swap after a kill starts over',
    async () => {
      await killAt('stopping')
      const child = trial.berth.start('swap', ['--revert'])
      const ended = new Promise((done) => child.once('close', done))
      await expect.poll(() => trial.state()?.phase, { interval: 10 }).toBe('reverting')
      await setTimeout(100)
      child.kill('SIGKILL')
      await ended
      await trial.berth.ok('swap', ['--swap', '--loose'])
      expect(await trial.servedBy()).toBe('200 <title>one</title> berth')
      await trial.berth.ok('swap', ['--revert'])
      await expectAsBefore()
    },
  )

  testAtOneKind('interrupted, it goes back by itself', async () => {
    const child = trial.berth.start('swap', ['--swap'])
    const code = new Promise((done) => child.once('close', done))
    await expect
      .poll(() => trial.state()?.phase, { interval: 10 })
      .toMatch(/configuring|starting|stopping/)
    child.kill('SIGINT')
    expect(await code).toBe(1)
    expect(trial.state()).toMatchObject({ phase: 'reverted', reason: 'It was interrupted.' })
    await expectAsBefore()
  })

  testAtOneKind('a Berth that runs already goes on, and after the way back too', async () => {
    // It runs, without the ports of sites, which the other server holds.
    expect((await trial.berth.run('service start')).code).toBe(1)
    try {
      const before = await trial.berth.run('service status', ['--json'])
      const { pid } = JSON.parse(before.stdout) as { pid: number }
      await trial.berth.ok('swap', ['--swap'])
      expect(await trial.servedBy()).toBe('200 <title>one</title> berth')
      expect(await trial.berth.json('service status')).toMatchObject({ pid })
      await trial.berth.ok('swap', ['--revert'])
      expect(await trial.servedBy()).toBe(`200 <title>one</title> ${kind}`)
      const after = await trial.berth.run('service status', ['--json'])
      expect(JSON.parse(after.stdout)).toMatchObject({ state: 'running' })
    } finally {
      await trial.berth.ok('service stop')
    }
    await expectAsBefore()
  })

  testAtOneKind('two at once: one works, the other is told', async () => {
    const outcomes = await Promise.all([
      trial.berth.run('swap', ['--swap']),
      trial.berth.run('swap', ['--swap']),
    ])
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1])
    expect(outcomes.map(({ stderr }) => stderr).join('')).toMatch(/Another berth swap|already/)
    await trial.berth.ok('swap', ['--revert'])
    await expectAsBefore()
  })
}
