import { describe, expect, it } from 'vitest'
import { Visitor } from '#adapters/node/web-server/figures/visitor.ts'
import { AccessLog, logTail } from '#adapters/node/web-server/log/access-log.ts'
import { createErrorLog } from '#adapters/node/web-server/log/error-log.ts'
import type { LogBuffer } from '#adapters/node/web-server/log/log-buffer.ts'
import { createPhpErrorLog } from '#adapters/node/web-server/log/php-error-log.ts'
import { HttpClock } from '#adapters/node/web-server/http1/http-clock.ts'
import { unescapeText, visibleText } from '#handlers/services/logs/escaped-text.ts'
import { logJudge } from '#handlers/services/logs/log-judge.ts'
import { maskSecrets } from '#handlers/services/logs/mask-secrets.ts'
import { hostOfAccessLine } from '#handlers/services/logs/parse-access-line.ts'
import { parseLogLine } from '#handlers/services/logs/parse-log-line.ts'
import type { LogFilter } from '#handlers/ports/host/logs.ts'
import { accessLine, EVERYTHING } from '#test/contract/logs/logs-port.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

/** What the web server's own writers write. */
const written = (write: (buffer: LogBuffer) => void): string => {
  let text = ''
  write({ append: (line: string) => (text += line) } as unknown as LogBuffer)
  return text.trimEnd()
}

const accessRecord = (fields: { target?: string; agent?: string; host?: string }): string =>
  written((buffer) =>
    new AccessLog(new HttpClock(), buffer).record({
      address: '2001:db8::1',
      method: 'GET',
      target: fields.target ?? '/',
      protocol: 'HTTP/2.0',
      status: 404,
      bodyBytes: 321,
      tail: logTail('https://ref.example/', fields.agent ?? 'Agent', fields.host ?? 'one.example'),
      visitor: new Visitor('', '', null, null, () => null),
      host: fields.host ?? 'one.example',
      cache: null,
      durationMs: 12.4,
    }),
  )

describe('lines of the access log', () => {
  it('are read as they are written', () => {
    const entry = parseLogLine(
      'access',
      accessRecord({ target: Buffer.from('/ä?a=b c').toString('latin1') }),
    )
    expect(entry).toMatchObject({
      level: 'warn',
      domain: 'one.example',
      status: 404,
      method: 'GET',
      path: '/ä?a=b c',
      client: '2001:db8::1',
      bytes: 321,
      durationMs: 12,
      cache: null,
      referer: 'https://ref.example/',
      userAgent: 'Agent',
    })
    expect(Math.abs((entry.timeMs ?? 0) - Date.now())).toBeLessThan(5000)
  })

  it('cannot be forged by what a client sends', () => {
    const agent = `x" victim.example HIT 0.000\n${accessLine(0, { host: 'victim.example' })}`
    const line = accessRecord({ agent, target: `/" 200 1 "-" "-" victim.example HIT 0.000` })
    expect(line).not.toContain('\n')
    expect(hostOfAccessLine(line)).toBe('one.example')
    expect(parseLogLine('access', line)).toMatchObject({ domain: 'one.example', status: 404 })
  })

  it('that are not in the format belong to nobody', () => {
    for (const line of ['', 'x', '" a', 'one.example', '"\u0000" one.example x']) {
      expect(parseLogLine('access', line).domain).toBeNull()
    }
  })
})

describe('lines of the error logs', () => {
  const error = (fields: Record<string, unknown>): string =>
    written((buffer) => createErrorLog(buffer, createRecordingLog()).error('it failed', fields))

  it('say their domain in their first field alone', () => {
    const line = error({ path: '/x domain=victim.example', domain: 'one.example' })
    expect(parseLogLine('error', line)).toMatchObject({
      level: 'error',
      domain: 'one.example',
      message: 'it failed domain=one.example path=/x domain=victim.example',
    })
    const other = error({ path: '/x domain=victim.example' })
    expect(parseLogLine('error', other).domain).toBeNull()
  })

  it('of PHP have the level that PHP gave', () => {
    const php = (message: string) =>
      parseLogLine(
        'php',
        written((buffer) => createPhpErrorLog(buffer).write('one.example', message)),
      )
    expect(php('PHP message: PHP Fatal error:  Größe\nStack trace')).toMatchObject({
      level: 'error',
      domain: 'one.example',
      message: 'PHP message: PHP Fatal error:  Größe\\x0aStack trace',
    })
    expect(php('PHP Warning:  x').level).toBe('warn')
    expect(php('PHP Deprecated:  x').level).toBe('debug')
    expect(php('hello').level).toBe('info')
    expect(php('x\n2026-01-01T00:00:00.000Z victim.example: forged').domain).toBe('one.example')
  })

  it('of our processes are JSON, or a stack trace', () => {
    const line = JSON.stringify({ level: 40, time: 1000, pid: 1, name: 'panel', msg: 'hm', a: 1 })
    expect(parseLogLine('panel', line)).toMatchObject({
      level: 'warn',
      timeMs: 1000,
      message: 'hm a=1',
    })
    expect(parseLogLine('panel', '    at main')).toMatchObject({ level: 'error', timeMs: null })
    expect(parseLogLine('panel', '{"__proto__": {"level": 1}').level).toBe('error')
    expect(parseLogLine('panel', '{"time":1e300}').timeMs).toBeNull()
  })
})

describe('what is shown', () => {
  it('has nothing that a terminal or a reader would obey', () => {
    expect(visibleText('a\u001b[31mb\u202ec\u200bd\u0000\u2028\te')).toBe(
      'a\\x1b[31mb\\u{202e}c\\u{200b}d\\x00\\u{2028}\te',
    )
    expect(unescapeText('\\x1b[2J \\xe6\\x97\\xa5 \\xff \\xe2\\x80\\xae \\x5c')).toBe(
      '\\x1b[2J 日 \\xff \\u{202e} \\',
    )
  })

  it('has no secrets', () => {
    for (const [text, shown] of [
      ['/a?token=abc&b=1', '/a?token=***&b=1'],
      ['/a?b=1&reset_password=x%20y#z', '/a?b=1&reset_password=***#z'],
      ['/a?api_key=1;X-Amz-Signature=2', '/a?api_key=***'],
      ['/cb?code=abc&state=1', '/cb?code=***&state=1'],
      ['/a?user[passwd]=1', '/a?user[passwd]=***'],
      ['/a?p%61ssword=1&b=2', '/a?p%61ssword=***&b=2'],
      ['/a?b=1?token=x', '/a?b=1?token=***'],
      ['authorization: Bearer abcdefghij', 'authorization: Bearer ***'],
      ['mysql://root:geheim@db', 'mysql://root:***@db'],
      ['x eyJhbGciOiJI.eyJzdWIiOiI.sig x', 'x *** x'],
      ['/reset-eyJhbGciOiJI.eyJzdWIiOiI.', '/reset-***'],
      ['/a.eyJhbGciOiJI.eyJzdWIiOiI.sig/b', '/a.***/b'],
      ['/a.eyJhbGciOiJI.short.x/eyJhbGciOiJI', '/a.eyJhbGciOiJI.short.x/eyJhbGciOiJI'],
      ['/tokens?page=2&keyword=a', '/tokens?page=2&keyword=a'],
    ] as const) {
      expect(maskSecrets(text)).toBe(shown)
    }
  })

  it('cannot be slowed down by hostile lines', () => {
    const ISO = '2026-11-21T10:00:00.000Z'
    const hostile = [
      '?'.repeat(8000),
      '&a'.repeat(4000),
      ':'.repeat(8000),
      'pass'.repeat(2000),
      '://'.repeat(2700),
      '"'.repeat(8000),
      ' - '.repeat(2700),
      ...Array.from({ length: 200 }, () => '-eyJ'.repeat(2000)),
      ...Array.from({ length: 400 }, () => `${ISO} one.example: ${'PHP Fatal '.repeat(800)}`),
    ]
    const started = performance.now()
    for (const text of hostile) {
      maskSecrets(text)
      for (const file of ['access', 'error', 'php', 'panel'] as const) parseLogLine(file, text)
    }
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

describe('a filter', () => {
  const judged = (filter: Partial<LogFilter>, line: string) =>
    logJudge('access', { ...EVERYTHING, ...filter })(line)

  it('finds no masked secret', () => {
    const line = accessLine(0, { path: '/?token=hunter2&x=1' })
    expect(judged({ q: 'hunter2' }, line)).toBe('unwanted')
    expect(judged({ q: 'token=***' }, line)).toBe('wanted')
  })

  it('knows when everything before is too old', () => {
    const fromMs = Date.UTC(2026, 10, 21, 11)
    expect(judged({ fromMs }, accessLine(0))).toBe('early')
    expect(judged({ fromMs }, accessLine(3590))).toBe('unwanted')
    expect(judged({ hosts: [] }, accessLine(0))).not.toBe('wanted')
  })

  it('finds text that the log had to escape', () => {
    expect(judged({ q: 'größe' }, accessLine(0, { path: '/Gr\\xc3\\xb6\\xc3\\x9fe' }))).toBe(
      'wanted',
    )
  })
})
