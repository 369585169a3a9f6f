import { readFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ModeSite } from './start-mode-site.ts'

/** What goes wrong. */
export const failuresSuite = (site: () => ModeSite): void => {
  const errorLog = (): string => join(site().instance.config.paths.log_dir, 'web', 'php_error.log')
  const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')
  /** Resolves once the file holds `part`, behind the `known` text where that is given. */
  const untilHolds = async (file: string, part: string, known = ''): Promise<string> => {
    const deadline = performance.now() + 15_000
    for (;;) {
      const text = (await textOf(file)).slice(known.length)
      if (text.includes(part)) return text
      if (performance.now() > deadline) throw new Error(`${file} does not hold ${part}: ${text}`)
      await delay(50)
    }
  }
  /** Opens the page and leaves once something of the body has come. */
  const leaveEarly = (path: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const { instance, tenant } = site()
      const request = http.get(
        { host: '127.0.0.1', port: instance.webPort, path, headers: { Host: tenant.domain } },
        (response) => {
          response.once('data', () => {
            request.destroy()
            resolve()
          })
          response.on('error', () => undefined)
        },
      )
      request.on('error', reject)
    })
  /** A healthy page right afterwards. */
  const stillServes = async (): Promise<void> => {
    expect((await site().visit('/code.php?s=200')).text).toBe('body')
  }

  it('answers 500 to a script that fails before it said anything', async () => {
    // Accounts of other modes have written to the same log.
    const before = await textOf(errorLog())
    for (const path of ['/fatal.php', '/syntax.php', '/exception.php']) {
      const answer = await site().visit(path)
      expect([path, answer.status]).toEqual([path, 500])
      expect(answer.text).not.toMatch(/nothing_of_that_name|marker-exception|public_html/)
    }
    await untilHolds(errorLog(), 'marker-exception', before)
    await stillServes()
  })

  it('takes an exit code for the script’s own affair', async () => {
    const answer = await site().visit('/exit-code.php')
    expect([answer.status, answer.text]).toEqual([200, 'all of it'])
  })

  it('writes errors to the log of PHP errors, and to no page', async () => {
    const { visit, mode, tenant } = site()
    const before = await textOf(errorLog())
    expect((await visit(`/log.php?m=${mode}-one`)).text).toBe('logged')
    const text = await untilHolds(errorLog(), `marker-${mode}-one`, before)
    expect(text).toContain(tenant.domain)
    expect((await visit('/warning.php')).text).toBe('went on')
    await untilHolds(errorLog(), 'undefined_marker', before)
  })

  it('answers 502 when the process is killed before it said anything', async () => {
    const answer = await site().visit('/killed-early.php')
    expect(answer.status).toBe(502)
    await stillServes()
  })

  it('never stores a page that broke off', async () => {
    const { visit } = site()
    for (const path of ['/killed-late.php', '/short.php'])
      for (let round = 0; round < 2; round++)
        expect(
          await visit(path).then(
            ({ status, headers }) => [path, status >= 500, headers['x-cache']],
            () => [path, true, 'MISS'],
          ),
        ).toEqual([path, true, 'MISS'])
    for (let round = 0; round < 2; round++) {
      const answer = await visit('/fatal-late.php').catch(() => null)
      expect(answer?.headers['x-cache'] ?? 'MISS').toBe('MISS')
    }
    await stillServes()
  })

  it('answers with the announced bytes at once when a script writes more', async () => {
    const { visit } = site()
    // Nobody waits for the minute that the script takes, and those who come together share the page.
    const answers = await Promise.all([0, 1, 2].map(() => visit('/surplus.php')))
    for (const answer of answers) expect([answer.status, answer.text]).toEqual([200, 'whole'])
    for (let round = 0; round < 3; round++)
      expect((await visit('/surplus-at-once.php')).text).toBe('whole')
    await stillServes()
  })

  it('waits for a slow script, and gives a stuck one up', async () => {
    const { visit } = site()
    const [slow, stuck] = await Promise.all([visit('/slow.php'), visit('/stuck.php')])
    expect([slow.status, slow.text]).toEqual([200, 'slow'])
    expect(stuck.status).toBe(504)
    await stillServes()
  })

  it('ends a script whose visitor has left', async () => {
    const { tenant, mode } = site()
    await leaveEarly(`/aborted.php?m=${mode}`)
    // CONNECTION_ABORTED
    expect(await untilHolds(tenant.path('tmp', `aborted-${mode}`), '1')).toBe('1')
    await stillServes()
  })

  it('lets a script finish that wants to', async () => {
    const { tenant, mode } = site()
    await leaveEarly(`/ignoring.php?m=${mode}`)
    await untilHolds(tenant.path('tmp', `ignoring-${mode}`), 'done')
  })
}
