import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '#adapters/node/config/load-config.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'

beforeAll(makeDirectory)

const load = async (keys: string) => {
  const file = join(directory, 'berth.toml')
  writeFileSync(file, `[[virtualhost]]\ndomain = "a.test"\nroot = "${directory}"\n${keys}\n`)
  const loaded = await loadConfig(file)
  return loaded.ok
    ? { host: loaded.config.virtualhost[0], problems: [] }
    : { host: undefined, problems: loaded.problems.map(({ key, message }) => `${key} ${message}`) }
}

describe('[[virtualhost]] rules', () => {
  test('is kept as it stands', async () => {
    const { host } = await load("rules = '''\nRedirect gone /old\n'''")
    expect(host?.rules).toBe('Redirect gone /old\n')
    expect(host?.htaccess).toBe(false)
  })

  test.each([
    ["rules = 'Redirec /a /b'", 'not known here: redirec'],
    ["rules = 'RewriteRule ^( /b'", 'line 1'],
    ["rules = '<Files x>'", 'not closed'],
    ['rules = "Redirect /a\\u0000 /b"', 'NUL'],
  ])('%s is a mistake', async (key, reason) => {
    const { problems } = await load(key)
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^virtualhost\\[0\\]\\.rules .*${reason}`)),
    ])
  })
})

describe('[[virtualhost]] rewrites, conditions', () => {
  const rule = (condition: string): string =>
    `rewrites = [{ pattern = "^", target = "/x", conditions = ['${condition}'] }]`

  test('are kept', async () => {
    expect((await load(rule('%{HTTPS} =off'))).host?.rewrites).toEqual([
      { pattern: '^', target: '/x', flags: '', conditions: ['%{HTTPS} =off'] },
    ])
  })

  test.each(['%{HTTPS}', '%{HTTPS} ^('])('%s is a mistake', async (condition) => {
    const { problems } = await load(rule(condition))
    expect(problems).toEqual([
      expect.stringMatching(/^virtualhost\[0\]\.rewrites\[0\]\.conditions cannot be read/),
    ])
  })
})
