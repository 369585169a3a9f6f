import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogFile, LogFilter, LogsPort } from '#handlers/ports/host/logs.ts'

/** Logs and a way to write them as their processes do. */
export interface LogsPortSubject {
  logs: LogsPort
  append(file: LogFile, line: string): Promise<void>
  /** Puts the current file aside, as rotation does. */
  rotate(file: LogFile): Promise<void>
  dispose(): Promise<void>
}

export const EVERYTHING: LogFilter = {
  hosts: null,
  q: null,
  level: null,
  status: null,
  method: null,
  fromMs: null,
  toMs: null,
}

/** A line as the web server writes it, `second` seconds after 2026-11-21 10:00:00 UTC. */
export const accessLine = (
  second: number,
  { host = 'one.example', path = '/', status = 200, method = 'GET', agent = 'curl' } = {},
): string => {
  const time = new Date(Date.UTC(2026, 10, 21, 10, 0, second)).toISOString().slice(11, 19)
  return `192.0.2.1 - - [21/Nov/2026:${time} +0000] "${method} ${path} HTTP/1.1" ${status} 12 "-" "${agent}" ${host} MISS 0.004`
}

/** What every implementation of `LogsPort` keeps to. */
export const logsPortContract = (label: string, create: () => Promise<LogsPortSubject>): void => {
  describe(`LogsPort: ${label}`, () => {
    let subject: LogsPortSubject
    beforeEach(async () => {
      subject = await create()
    })
    afterEach(() => subject.dispose())

    const write = async (...lines: string[]) => {
      for (const line of lines) await subject.append('access', line)
    }
    const read = (filter: Partial<LogFilter> = {}, lines = 100, before: string | null = null) =>
      subject.logs.read({ file: 'access', filter: { ...EVERYTHING, ...filter }, before, lines })
    const texts = (page: { records: readonly { text: string }[] }) =>
      page.records.map(({ text }) => text)
    const follow = (after: string, filter: Partial<LogFilter> = {}, lines = 100) =>
      subject.logs.follow({
        file: 'access',
        filter: { ...EVERYTHING, ...filter },
        after,
        lines,
        maxLagBytes: null,
      })
    /** Follows until there are `count` lines. */
    const followUntil = async (after: string, count: number) => {
      const found: string[] = []
      let place = after
      for (const end = Date.now() + 10_000; found.length < count && Date.now() < end;) {
        const news = await follow(place)
        found.push(...texts(news))
        place = news.after
        if (!news.more) await new Promise((resolve) => setTimeout(resolve, 50))
      }
      return found
    }

    it('is empty where nothing was ever written', async () => {
      expect(await read()).toMatchObject({ records: [], next: null, truncated: false })
      expect(await subject.logs.list()).toEqual([])
      const end = await subject.logs.place({ file: 'access', bytesBack: 0 })
      expect(await follow(end)).toMatchObject({ records: [], more: false, skipped: false })
      await write('first')
      expect(texts(await follow(end))).toEqual(['first'])
    })

    it('answers the newest lines first, and the older ones page by page', async () => {
      const lines = Array.from({ length: 25 }, (_, index) => accessLine(index))
      await write(...lines)
      expect(await subject.logs.list()).toEqual([
        { file: 'access', sizeBytes: lines.join('\n').length + 1 },
      ])
      const seen: string[] = []
      const ids = new Set<string>()
      let before: string | null = null
      do {
        const page = await read({}, 10, before)
        seen.push(...texts(page))
        for (const { id } of page.records) ids.add(id)
        before = page.next
      } while (before !== null)
      expect(seen).toEqual(lines.toReversed())
      expect(ids.size).toBe(25)
    })

    it('filters by host, time, status, level, method and text', async () => {
      const lines = [
        accessLine(0, { host: 'one.example' }),
        accessLine(1, { host: 'two.example', status: 404, path: '/Lost' }),
        accessLine(2, { host: 'one.example', status: 503, method: 'POST' }),
        accessLine(3, { host: 'two.example', status: 302 }),
      ]
      await write(...lines)
      const only = async (filter: Partial<LogFilter>) =>
        texts(await read(filter)).map((text) => lines.indexOf(text))
      expect(await only({ hosts: [{ name: 'two.example', sinceMs: 0 }] })).toEqual([3, 1])
      const since = Date.UTC(2026, 10, 21, 10, 0, 2)
      expect(await only({ hosts: [{ name: 'two.example', sinceMs: since }] })).toEqual([3])
      expect(await only({ hosts: [] })).toEqual([])
      expect(await only({ status: '4xx' })).toEqual([1])
      expect(await only({ status: '302' })).toEqual([3])
      expect(await only({ level: 'warn' })).toEqual([2, 1])
      expect(await only({ method: 'POST' })).toEqual([2])
      expect(await only({ q: 'lost' })).toEqual([1])
      expect(await only({ fromMs: since })).toEqual([3, 2])
      expect(await only({ toMs: since })).toEqual([1, 0])
    })

    it('follows what is written, with the filter', async () => {
      await write(accessLine(0))
      const { end } = await read()
      expect(texts(await follow(end))).toEqual([])
      await write(accessLine(1), accessLine(2, { host: 'two.example' }), accessLine(3))
      const news = await follow(end, { hosts: [{ name: 'one.example', sinceMs: 0 }] })
      expect(texts(news)).toEqual([accessLine(1), accessLine(3)])
      expect((await follow(news.after)).records).toEqual([])
      expect(texts(await follow(end, {}, 2))).toHaveLength(2)
    })

    it('goes through a rotation, backwards and while following', async () => {
      await write(accessLine(0), accessLine(1))
      const { end } = await read()
      await write(accessLine(2))
      await subject.rotate('access')
      await write(accessLine(3), accessLine(4))
      expect(texts(await read())).toEqual([4, 3, 2, 1, 0].map((at) => accessLine(at)))
      const first = await read({}, 3)
      expect(texts(await read({}, 3, first.next))).toEqual([accessLine(1), accessLine(0)])
      expect(await followUntil(end, 3)).toEqual([2, 3, 4].map((at) => accessLine(at)))
    })

    it('keeps of a long line what is bounded', async () => {
      await write('a'.repeat(20_000), 'short')
      const page = await read()
      expect(page.records.map(({ text, cut }) => [text.length, cut])).toEqual([
        [5, false],
        [8192, true],
      ])
    })

    it('finds the begin for a download', async () => {
      await write(accessLine(0), accessLine(1))
      const begin = await subject.logs.place({ file: 'access', bytesBack: 1_000_000 })
      expect(texts(await follow(begin))).toEqual([accessLine(0), accessLine(1)])
    })
  })
}
