import { execFileSync } from 'node:child_process'
import { chown, link, mkdir, open, rename, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogFiles } from '#adapters/node/agent/logs/log-files.ts'
import { createLogsPort } from '#adapters/node/agent/logs/logs-port.ts'
import { accessLine, EVERYTHING } from '#test/contract/logs/logs-port.ts'
import { createLogsFixture } from './logs-fixture.ts'

describe('log files', () => {
  let fixture: Awaited<ReturnType<typeof createLogsFixture>>
  beforeEach(async () => {
    fixture = await createLogsFixture()
  })
  afterEach(() => fixture.dispose())

  const read = (before: string | null = null, lines = 1000, filter = {}) =>
    fixture.logs.read({ file: 'access', filter: { ...EVERYTHING, ...filter }, before, lines })
  const follow = (after: string, maxLagBytes: number | null = null) =>
    fixture.logs.follow({ file: 'access', filter: EVERYTHING, after, lines: 100, maxLagBytes })
  const texts = (page: { records: readonly { text: string }[] }) =>
    page.records.map(({ text }) => text)

  it('goes on into compressed files, oldest last', async () => {
    await writeFile(`${fixture.access}.2.gz`, gzipSync(`${accessLine(0)}\n${accessLine(1)}\n`))
    execFileSync('touch', ['-d', '2026-11-01', `${fixture.access}.2.gz`])
    await writeFile(`${fixture.access}.1`, `${accessLine(2)}\n`)
    execFileSync('touch', ['-d', '2026-11-02', `${fixture.access}.1`])
    await fixture.append(`${accessLine(3)}\n`)
    const all = [3, 2, 1, 0].map((at) => accessLine(at))
    expect(texts(await read())).toEqual(all)
    const seen: string[] = []
    let before: string | null = null
    do {
      const page = await read(before, 1)
      seen.push(...texts(page))
      before = page.next
    } while (before !== null)
    expect(seen).toEqual(all)
  })

  it('leaves a damaged compressed file out', async () => {
    await writeFile(`${fixture.access}.1.gz`, 'no gzip at all')
    await fixture.append(`${accessLine(3)}\n`)
    expect(texts(await read())).toEqual([accessLine(3)])
  })

  it('tries few compressed files in vain at a time, and loses none behind them', async () => {
    for (let day = 10; day < 20; day++) {
      await writeFile(`${fixture.access}.${day}.gz`, 'no gzip at all')
      execFileSync('touch', ['-d', `2026-11-${30 - day}`, `${fixture.access}.${day}.gz`])
    }
    await writeFile(`${fixture.access}.20.gz`, gzipSync(`${accessLine(0)}\n`.repeat(9)))
    execFileSync('touch', ['-d', '2026-11-01', `${fixture.access}.20.gz`])
    let page = await read()
    expect(page).toMatchObject({ records: [], truncated: true })
    let steps = 0
    for (; page.next !== null && page.records.length === 0 && steps < 10; steps++)
      page = await read(page.next)
    expect(steps).toBeGreaterThan(1)
    expect(texts(page)).toHaveLength(9)
  })

  it.each([false, true])(
    'takes no part of a line for a line, whatever place it is asked for (compressed: %s)',
    async (gzip) => {
      const php = join(fixture.directory, 'web', 'php_error.log')
      const at = '2026-11-21T10:00:00.000Z'
      // A visitor of one site gets it to write what another site's line begins with.
      const text = `${at} victim.example: no such page "${at} mine.example: ", key is s3cret\n`
      await writeFile(gzip ? `${php}.1.gz` : php, gzip ? gzipSync(text) : text)
      const ask = { file: 'php', filter: EVERYTHING, lines: 9 } as const
      const all = await fixture.logs.read({ ...ask, before: null })
      const inode = all.records[0]?.id.split('-')[0] ?? ''
      const filter = { ...EVERYTHING, hosts: [{ name: 'mine.example', sinceMs: 0 }] }
      for (let offset = 0; offset <= text.length; offset++) {
        const place = `${inode}-${offset}`
        const page = await fixture.logs.read({ ...ask, filter, before: place })
        const news = await fixture.logs.follow({ ...ask, filter, after: place, maxLagBytes: null })
        expect([...page.records, ...(gzip ? [] : news.records)]).toEqual([])
        // Nor is a part shown to those who see all: without its begin a secret is not known for one.
        const whole = await fixture.logs.read({ ...ask, before: place })
        for (const record of whole.records) expect(`${record.text}\n`).toBe(text)
      }
    },
  )

  it('shows an error of one site to no site whose name is the begin of its own', async () => {
    const error = join(fixture.directory, 'web', 'error.log')
    const text = '2026-11-21T10:00:00.000Z [error] 1: it failed domain=mine.example.org\n'
    await writeFile(error, text)
    const hosts = [{ name: 'mine.example', sinceMs: 0 }]
    const ask = { file: 'error', filter: { ...EVERYTHING, hosts }, lines: 9 } as const
    const all = await fixture.logs.read({
      file: 'error',
      filter: EVERYTHING,
      before: null,
      lines: 9,
    })
    const inode = all.end.split('-')[0] ?? ''
    for (let offset = 0; offset <= text.length; offset++) {
      const page = await fixture.logs.read({ ...ask, before: `${inode}-${offset}` })
      expect(page.records).toEqual([])
    }
  })

  it('shows no line before it is whole', async () => {
    await fixture.append(`${accessLine(0)}\n192.0.2.1 - - [half`)
    const page = await read()
    expect(texts(page)).toEqual([accessLine(0)])
    expect(texts(await follow(page.end))).toEqual([])
    await fixture.append(' a line\n')
    expect(texts(await follow(page.end))).toEqual(['192.0.2.1 - - [half a line'])
  })

  it('says so when a file was emptied in place, and goes on', async () => {
    await fixture.append(`${accessLine(0)}\n${accessLine(1)}\n`)
    const { end } = await read()
    await truncate(fixture.access)
    await fixture.append(`${accessLine(2)}\n`)
    expect(await follow(end)).toMatchObject({
      skipped: true,
      records: [{ text: accessLine(2) }],
    })
    await expect(read(end)).rejects.toMatchObject({ status: 409 })
  })

  it('goes on in the new file when the old one is gone altogether', async () => {
    await fixture.append(`${accessLine(0)}\n`)
    const { end } = await read()
    await rename(fixture.access, join(fixture.directory, 'elsewhere'))
    await fixture.append(`${accessLine(2)}\n`)
    expect(await follow(end)).toMatchObject({ skipped: true, records: [{ text: accessLine(2) }] })
    await expect(read(end)).rejects.toMatchObject({ status: 409 })
  })

  it('shows lines that a late writer still adds to the renamed file', async () => {
    await fixture.append(`${accessLine(0)}\n`)
    const { end } = await read()
    const late = await open(fixture.access, 'a')
    await fixture.rotate()
    await fixture.append(`${accessLine(2)}\n`)
    const first = await follow(end)
    await late.write(`${accessLine(1)}\n`)
    await late.close()
    expect(texts(await follow(first.after))).toEqual([accessLine(1)])
  })

  it('leaves out what lies too far behind', async () => {
    await fixture.append(`${accessLine(0)}\n`.repeat(50_000))
    const begin = await fixture.logs.place({ file: 'access', bytesBack: 1e9 })
    const news = await follow(begin, 2 ** 20)
    expect(news.skipped).toBe(true)
    expect(texts(news)[0]).toBe(accessLine(0))
  })

  it('searches a giant file in bounded steps, in bounded memory', async () => {
    const handle = await open(fixture.access, 'w')
    await handle.write(`${accessLine(0)}\n`)
    // A hole of 4 GiB: one line without end.
    await handle.truncate(4 * 2 ** 30)
    await handle.close()
    await fixture.append(`\n${accessLine(1)}\n`)
    global.gc?.()
    const before = process.memoryUsage().rss
    const first = await read()
    expect(first).toMatchObject({ truncated: true, records: [{ text: accessLine(1) }] })
    const second = await read(first.next)
    expect(second.truncated).toBe(true)
    expect(second.next).not.toBe(first.next)
    const found = await read(null, 10, { q: 'not there' })
    expect(found).toMatchObject({ truncated: true, records: [] })
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20)
  })

  it('answers a mebibyte of lines at a time', async () => {
    const long = (at: number): string => `${at} ${'x'.repeat(8000)}`
    await writeFile(
      fixture.access,
      Array.from({ length: 400 }, (_, at) => `${long(at)}\n`).join(''),
    )
    const page = await read()
    const bytes = texts(page).reduce((sum, text) => sum + text.length, 0)
    expect(bytes).toBeGreaterThanOrEqual(2 ** 20)
    expect(bytes).toBeLessThan(2 ** 20 + 8100)
    expect(texts(await read(page.next))[0]).toBe(long(399 - page.records.length))
  })

  it('gets on in a file of line ends alone', async () => {
    await writeFile(fixture.access, Buffer.alloc(6 * 2 ** 20, '\n'))
    let page = await read()
    for (let step = 0; page.next !== null && step < 3; step++) page = await read(page.next)
    expect(page).toMatchObject({ records: [], next: null })
  })

  it('reads nothing through links, pipes, directories and files of others', async () => {
    const secret = join(fixture.directory, 'secret')
    await writeFile(secret, 'root:secret\n')
    const gone = async () => {
      expect(texts(await read())).toEqual([])
      expect(await fixture.logs.list()).toEqual([])
      execFileSync('rm', ['-rf', '--', fixture.access])
    }
    await symlink(secret, fixture.access)
    await gone()
    await link(secret, fixture.access)
    await gone()
    execFileSync('mkfifo', ['--', fixture.access])
    await gone()
    await mkdir(fixture.access)
    await gone()
    await symlink(secret, `${fixture.access}.1`)
    await writeFile(fixture.access, `${accessLine(0)}\n`)
    expect(texts(await read())).toEqual([accessLine(0)])
    await chown(fixture.access, 65_534, 65_534)
    expect(texts(await read())).toEqual([])
    const ofNobody = createLogsPort(createLogFiles(fixture.directory, 65_534))
    expect((await ofNobody.list()).map(({ file }) => file)).toEqual(['access'])
  })
})
