import { describe, expect, it } from 'vitest'
import { applyHeaderRules } from '#handlers/sites/htaccess/apply-headers.ts'
import { setConditionalEnvironment } from '#handlers/sites/htaccess/environment.ts'
import { checkAccess } from '#handlers/sites/htaccess/access/check-access.ts'
import { mergeSettings } from '#handlers/sites/htaccess/files/merge-settings.ts'
import { parseRules } from '#handlers/sites/htaccess/files/parse-rules.ts'
import { ROOT_RULES } from '#handlers/sites/htaccess/files/rule-store.ts'
import {
  isInBlocks,
  readAddress,
  readBlock,
} from '#handlers/sites/rewrite/pattern/match-address.ts'
import { PatternLimit } from '#handlers/sites/rewrite/pattern/pattern.ts'
import type { RuleRequest } from '#handlers/sites/rewrite/rule-request.ts'
import { expandTemplate, NOTHING_FOUND, parseTemplate } from '#handlers/sites/rewrite/template.ts'
import { hostConfig } from '#test/node/web-server/support/engine-server.ts'

const STEPS = 400_000
const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')

const requestOf = (clientAddress = '192.0.2.1', budget = { left: STEPS }): RuleRequest => ({
  ...{ method: 'GET', headers: new Headers(), vhost: hostConfig('a.test'), host: 'a.test' },
  ...{ uri: '/page', query: '', filename: '/page', pathInfo: '', env: new Map(), user: '' },
  ...{ nowMs: 0, budget, inner: false, testFile: () => Promise.resolve(false) },
  context: {
    ...{ clientAddress, clientPort: 1, serverAddress: '192.0.2.2', serverPort: 80 },
    ...{ secure: false, serverName: null, protocol: 'HTTP/1.1', rawTarget: '/page' },
  },
})
const settingsOf = (text: string, request: RuleRequest) => {
  const rules = parseRules(text, '/')
  return mergeSettings([{ ...ROOT_RULES, rules, failure: null, hash: '' }], 'page', request)
}

/** The headers under rules, and the steps that these took. */
const ruled = async (text: string, given: Headers, left = STEPS, asked = new Headers()) => {
  const { headers } = await settingsOf(text, requestOf())
  const result = new Headers(given)
  const budget = { left }
  applyHeaderRules(headers, result, { env: new Map(), budget, nowMs: 0, asked })
  return { headers: result, steps: left - budget.left }
}
const manyFields = (count: number): Headers =>
  new Headers(Array.from({ length: count }, (_, at): [string, string] => [`h${at}`, '1']))

describe('header rules pay for', () => {
  it('the value that is there, as often as they copy it or look through it', async () => {
    const value = 'b,'.repeat(4000)
    const given = new Headers({ x: value })
    const asked = new Headers({ x: value })
    for (const rule of [
      'append X a',
      'merge X a',
      'merge X b',
      'add X a',
      'edit X z y',
      'edit* X z y',
      'echo X',
    ]) {
      const { steps } = await ruled(
        lines(3, () => `Header ${rule}`),
        given,
        STEPS,
        asked,
      )
      expect(steps, rule).toBeGreaterThan(3 * value.length)
    }
    for (const rule of ['set X a', 'setifempty X a', 'unset X']) {
      const { steps } = await ruled(`Header ${rule}`, given)
      expect(steps, rule).toBeLessThan(20)
    }
    const growing = lines(500, () => 'Header append X aaaa')
    await expect(ruled(growing, new Headers(), 50_000)).rejects.toThrow(PatternLimit)
  })

  it('the fields among which each looks for its own', async () => {
    const text = lines(100, (at) => `Header unset Y${at}`)
    const few = await ruled(text, manyFields(10))
    const many = await ruled(text, manyFields(1010))
    expect(many.steps - few.steps).toBe(100 * 1000)
  })

  it('little where a site has what sites have', async () => {
    const text = lines(20, (at) => `Header always set X-Rule-${at} "${'v'.repeat(60)}"`)
    const { headers, steps } = await ruled(text, manyFields(20))
    expect(headers.get('x-rule-19')).toBe('v'.repeat(60))
    expect(steps).toBeLessThan(3000)
  })

  it('nothing that grows beyond 16 KiB', async () => {
    const given = new Headers({ x: 'a'.repeat(16_380) })
    expect((await ruled('Header append X bb', given)).headers.get('x')).toHaveLength(16_384)
    for (const rule of ['append X bbb', 'add X bbb', 'merge X bbb', 'edit X ^ bbbbb']) {
      await expect(ruled(`Header ${rule}`, given), rule).rejects.toThrow(PatternLimit)
    }
  })
})

it('edits a header where its pattern matches, not where the same text stands before', async () => {
  const { headers } = await ruled('Header edit X \\bfoo bar', new Headers({ x: 'afoo foo' }))
  expect(headers.get('x')).toBe('afoo bar')
})

it('merges what is not in a list yet', async () => {
  const text = 'Header merge X b\nHeader merge X a\nHeader merge Y c'
  const { headers } = await ruled(text, new Headers({ x: 'a, bb' }))
  expect([headers.get('x'), headers.get('y')]).toEqual(['a, bb, b', 'c'])
})

/** Who may come in under rules, and the steps that this took. */
const access = async (text: string, clientAddress?: string, budget = { left: STEPS }) => {
  const request = requestOf(clientAddress, budget)
  const before = budget.left
  const settings = await settingsOf(text, request)
  const login = () =>
    Promise.resolve({ user: null, groups: () => Promise.resolve([]), broken: false })
  return { verdict: await checkAccess(settings, request, login), steps: before - budget.left }
}
const address = (at: number): string => `10.${at >> 8}.${at & 255}.1`

describe('lists of thousands of addresses are cheap', () => {
  const count = 4000
  it.each([
    [
      'Deny',
      `Order allow,deny\nAllow from all\n${lines(count, (at) => `Deny from ${address(at)}`)}`,
    ],
    [
      'Require not',
      `<RequireAll>\nRequire all granted\n${lines(count, (at) => `Require not ip ${address(at)}`)}\n</RequireAll>`,
    ],
    [
      'one line',
      `Order allow,deny\nAllow from all\n${lines(8, (line) => `Deny from ${lines(500, (at) => address(line * 500 + at)).replaceAll('\n', ' ')}`)}`,
    ],
  ])('%s', async (_what, text) => {
    const inside = await access(text, address(count - 1))
    const outside = await access(text, '10.200.0.1')
    expect([inside.verdict, outside.verdict]).toEqual(['denied', 'granted'])
    // A site's share is some millions a second.
    expect(outside.steps).toBeLessThan(1000)
    expect(outside.steps).toBeGreaterThan(count / 10)
    await expect(access(text, '10.200.0.1', { left: 100 })).rejects.toThrow(PatternLimit)
  })

  it('that let in', async () => {
    const text = lines(count, (at) => `Require ip ${address(at)}`)
    expect((await access(text, address(7))).verdict).toBe('granted')
    expect((await access(text, '10.200.0.1')).verdict).toBe('denied')
  })
})

it('other conditions of access pay for what they compare', async () => {
  const names = lines(1000, (at) => `n${at}`).replaceAll('\n', ' ')
  for (const text of [`Require env ${names}`, `Require method ${names}`, `Require host ${names}`]) {
    expect((await access(text)).steps, text).toBeGreaterThan(1000)
  }
  const limited = `<Limit ${names}>\n${lines(50, () => 'Require all denied')}\n</Limit>`
  expect((await access(limited)).steps).toBeGreaterThan(50 * 1000)
})

it('each variable in a text that is filled in pays, also one without a value', () => {
  const request = requestOf()
  const name = 'HTTP:foo'
  const text = expandTemplate(parseTemplate(`%{${name}}`.repeat(180)), NOTHING_FOUND, request)
  expect(text).toBe('')
  expect(STEPS - request.budget.left).toBeGreaterThan(180 * name.length)
  const whole = expandTemplate(parseTemplate('%{REQUEST_URI}'), NOTHING_FOUND, request)
  expect(whole).toBe('/page')
})

it.each([
  ['10.1.2.3', '10.1.2.3', true],
  ['10.1.2.3', '10.1.2.4', false],
  ['10.1.2.3', '10.1', true],
  ['10.1.2.3', '10.2.', false],
  ['10.1.2.3', '10.0.0.0/8', true],
  ['10.1.2.3', '10.1.2.0/31', false],
  ['10.1.2.3', '10.1.0.0/255.255.0.0', true],
  ['10.1.2.3', '10.1.0.0/255.0.255.0', null],
  ['203.0.113.9', '0.0.0.0/0', true],
  ['203.0.113.9', '128.0.0.0/1', true],
  ['203.0.113.9', '203.0.113.9/33', null],
  ['203.0.113.9', '203.0.113.009', null],
  ['203.0.113.9', '300', null],
  ['203.0.113.9', '::/0', false],
  ['::ffff:203.0.113.9', '203.0.113.0/24', true],
  ['::1', '::1', true],
  ['2001:db8::1', '2001:db8::/32', true],
  ['2001:db9::1', '2001:db8::/32', false],
  ['2001:db8:0:8000::1', '2001:db8::/49', false],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6/127', true],
  ['fe80::1%eth0', 'fe80::/10', true],
  ['64:ff9b::192.0.2.1', '64:ff9b::c000:201', true],
  ['::1', '1::2::3', null],
  ['::1', '1:2:3', null],
  ['::1', '1:2:3:4:5:6:7::8', null],
  ['::1', '1:2:3:4:5:6:7:8::', null],
  ['::1', '1.2.3.4::', null],
  ['::1', ':1', null],
  ['::1', '12345::', null],
  ['::1', '::/129', null],
  ['::1', '', null],
])('the address %s and the block "%s"', (client, text, expected) => {
  const block = readBlock(text)
  const held = block && isInBlocks(readAddress(client), [block], { left: 1 })
  expect(held).toBe(expected)
})

it('every directive that is carried out is paid for', async () => {
  const { steps } = await access(lines(1600, (at) => `AddType a/b .x${at}`))
  expect(steps).toBe(400)
})

describe('what is carried out for each request pays for', () => {
  const stepsOf = async (text: string, request = requestOf()): Promise<number> => {
    await settingsOf(text, request)
    return STEPS - request.budget.left
  }
  const names = lines(2000, (at) => `x${at}`)
    .replaceAll('\n', ' ')
    .slice(0, 8000)

  it('each member of its lists', async () => {
    for (const directive of ['AddType text/x', 'RemoveHandler', 'AddOutputFilter DEFLATE']) {
      expect(await stepsOf(`${directive} ${names}`), directive).toBeGreaterThan(1000)
    }
    expect(await stepsOf(lines(20, (at) => `AddType text/x a${at} b${at}`))).toBeLessThan(10)
  })

  it('each sign of an expression', async () => {
    const chain = `<If "${'false || '.repeat(800)}false">\nAddType a/b c\n</If>`
    expect(await stepsOf(chain)).toBeGreaterThan(5000)
    expect(await stepsOf('<If "false || true">\nAddType a/b c\n</If>')).toBeLessThan(20)
  })

  it('the fields among which rules look for many', async () => {
    const text = lines(1000, (at) => `SetEnvIf Y${at} a b`)
    const asked = async (count: number): Promise<number> => {
      const request = { ...requestOf(), headers: manyFields(count) }
      await setConditionalEnvironment(await settingsOf(text, request), request)
      return STEPS - request.budget.left
    }
    expect((await asked(2000)) - (await asked(10))).toBeGreaterThan(200_000)
  })
})
