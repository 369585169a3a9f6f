import { describe, expect, it } from 'vitest'
import type { RuleStep, SiteTestResult, SiteTestStep } from '#handlers/ports/host/web/site-test.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { createExplainer } from '#handlers/sites/explain/explain-request.ts'
import { createSiteRules } from '#handlers/sites/htaccess/files/site-rules.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import type { RuleFiles } from '#handlers/sites/rule-files.ts'
import { vhostOf, type Tree } from '#test/contract/sites/sites-harness.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { WORDPRESS_RULES } from '#test/support/setups/rewrite-rules.ts'
import { memoryFiles } from '../memory-site.ts'

interface Asked {
  headers?: Record<string, string>
  draft?: string
  method?: string
  vhost?: Partial<VirtualHostConfig>
}

const ruleFilesOf = (tree: Tree): RuleFiles => ({
  read: async ({ path }) => {
    const text = tree[path]
    return typeof text === 'string' ? { kind: 'text', text, stamp: text } : { kind: 'missing' }
  },
  verifyPassword: async () => false,
})

const askSite = async (tree: Tree, url: string, asked: Asked = {}) => {
  const files = memoryFiles(tree)
  const log = createRecordingLog()
  const ruleFiles = ruleFilesOf(tree)
  const table = createVirtualHostTable([vhostOf(asked.vhost)])
  const rules = createSiteRules({ files, ruleFiles, log, nowMs: () => Date.now() })
  const answer = await createExplainer({ hosts: () => table, files, rules })({
    ...{ domain: 'a.test', method: asked.method ?? 'GET', clientAddress: '192.0.2.7' },
    url: url.startsWith('/') ? `http://a.test${url}` : url,
    headers: asked.headers ?? {},
    draft: asked.draft ?? null,
  })
  expect(log.lines).toEqual([])
  return answer
}
const explain = async (tree: Tree, url: string, asked?: Asked): Promise<SiteTestResult> => {
  const answer = await askSite(tree, url, asked)
  if (typeof answer === 'string') throw new Error(answer)
  return answer
}
const rulesOf = ({ steps }: SiteTestResult): RuleStep[] =>
  steps.filter((step): step is RuleStep => step.kind === 'rule')
const outcomesOf = (result: SiteTestResult) =>
  rulesOf(result).map(({ line, outcome, end }) => [line, outcome, end])
const kindOf = <Kind extends SiteTestStep['kind']>({ steps }: SiteTestResult, kind: Kind) =>
  steps.filter((step): step is Extract<SiteTestStep, { kind: Kind }> => step.kind === kind)

describe('what rules do with a request', () => {
  it("is told of WordPress's, rule by rule", async () => {
    const tree = { '/.htaccess': WORDPRESS_RULES, '/index.php': '', '/style.css': 'a{}' }
    const page = await explain(tree, '/2024/post/?a=1')
    expect(page.outcome).toEqual({
      ...{ kind: 'script', status: null, location: null },
      ...{ file: '/index.php', query: 'a=1' },
    })
    const last = rulesOf(page).find(({ end, path }) => end === 'last' && path === '/index.php')
    expect(last?.text).toBe('RewriteRule . /index.php [L]')
    expect(last?.conditions.map(({ text, holds }) => [text, holds])).toEqual([
      ['RewriteCond %{REQUEST_FILENAME} !-f', true],
      ['RewriteCond %{REQUEST_FILENAME} !-d', true],
    ])
    expect(last?.conditions[0]?.value).toBe('/srv/a/public_html/2024/post/')
    expect(kindOf(page, 'onward')[0]).toMatchObject({ why: 'rules', path: '/index.php' })
    const file = await explain(tree, '/style.css')
    expect(file.outcome).toMatchObject({ kind: 'file', status: 200, file: '/style.css' })
    expect(rulesOf(file).at(-1)).toMatchObject({ outcome: 'conditions', path: null })
  })

  it('says which rules were not asked: chains, skips, and what comes behind the end', async () => {
    const rules = `RewriteEngine On
RewriteRule ^no$ x [C]
RewriteRule ^x$ y [C]
RewriteRule ^y$ z
RewriteRule ^a$ - [S=2,E=ONE:1,CO=seen:yes:a.test]
RewriteRule ^a$ /wrong [R]
RewriteRule ^a$ /wrong [R]
RewriteRule ^a$ b.html [L]
RewriteRule ^a$ /never [R]
`
    const result = await explain({ '/.htaccess': rules, '/b.html': 'b' }, '/a')
    expect(outcomesOf(result).slice(0, 7)).toEqual([
      [2, 'pattern', null],
      [3, 'chain', null],
      [4, 'chain', null],
      [5, 'applied', 'skip'],
      [6, 'skip', null],
      [7, 'skip', null],
      [8, 'applied', 'last'],
    ])
    expect(rulesOf(result)[3]?.set.map(({ kind, text }) => [kind, text])).toEqual([
      ['variable', 'ONE:1'],
      ['cookie', 'seen:yes:a.test'],
    ])
    expect(result.outcome).toMatchObject({ kind: 'file', file: '/b.html' })
  })

  it('says which alternatives were asked, and which need not be', async () => {
    const rules = `RewriteEngine On
RewriteCond %{HTTP_USER_AGENT} Bot [OR]
RewriteCond %{HTTP_COOKIE} seen=1 [OR]
RewriteCond %{QUERY_STRING} x
RewriteRule ^ - [F]
`
    const tree = { '/.htaccess': rules, '/a.html': 'a' }
    const bot = await explain(tree, '/a.html', { headers: { 'user-agent': 'TestBot/1' } })
    expect(rulesOf(bot)[0]).toMatchObject({ outcome: 'applied', end: 'forbidden', line: 5 })
    expect(rulesOf(bot)[0]?.conditions).toMatchObject([
      { line: 2, value: 'TestBot/1', holds: true },
      { line: 3, value: null, holds: null },
      { line: 4, value: null, holds: null },
    ])
    expect(bot.outcome).toMatchObject({ kind: 'status', status: 403 })
    const other = await explain(tree, '/a.html', { headers: { cookie: 'seen=2' } })
    expect(rulesOf(other)[0]?.conditions.map(({ holds }) => holds)).toEqual([false, false, false])
  })

  it('names sections, Redirect, who is shut out, and rules that are off or inherited', async () => {
    const tree: Tree = {
      '/.htaccess': `<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule ^sub/up$ /b.html [L]
</IfModule>
<If "%{QUERY_STRING} == 'x'">
Redirect 302 /b.html /c.html
</If>
Redirect 301 /old \\
  /new
RedirectMatch 410 ^/gone`,
      '/b.html': 'b',
      '/sub': null,
      '/sub/.htaccess': 'RewriteOptions Inherit\nRewriteBase /sub/\n',
      '/off': null,
      '/off/.htaccess': 'RewriteEngine Off\nRewriteRule ^ - [F]\n',
      '/off/a.html': 'a',
      '/shut': null,
      '/shut/.htaccess': 'Require all denied\n',
      '/shut/a.html': 'a',
    }
    const section = await explain(tree, '/b.html?x')
    expect(kindOf(section, 'section')[0]).toMatchObject({ line: 5, holds: true })
    expect(kindOf(section, 'redirect')[0]).toMatchObject({ line: 6, status: 302 })
    expect(section.outcome).toMatchObject({ kind: 'redirect', status: 302 })
    const old = await explain(tree, '/old/a')
    const text = 'Redirect 301 /old   /new'
    expect(kindOf(old, 'redirect')[0]).toMatchObject({ line: 8, text })
    expect(old.outcome.location).toBe('http://a.test/new/a')
    expect((await explain(tree, '/gone')).outcome).toMatchObject({ kind: 'status', status: 410 })
    const inherited = await explain(tree, '/sub/up')
    expect(rulesOf(inherited)[0]).toMatchObject({ source: '/.htaccess', line: 3, subject: 'up' })
    const off = await explain(tree, '/off/a.html')
    expect(kindOf(off, 'not-rewriting')[0]).toMatchObject({ why: 'off' })
    const shut = await explain(tree, '/shut/a.html')
    expect(kindOf(shut, 'shut-out')[0]).toMatchObject({ status: 403 })
    expect(shut.outcome.status).toBe(403)
  })

  it("tells what the configuration's own rules and the site's settings do", async () => {
    const rewrites = [
      { pattern: '^/api$', target: '/api.html', flags: 'L', conditions: ['%{HTTPS} off'] },
    ]
    const result = await explain({ '/api.html': 'x' }, '/api', { vhost: { rewrites } })
    expect(rulesOf(result)[0]).toMatchObject({
      ...{ source: 'rewrites', line: 1, text: '^/api$ /api.html [L]', outcome: 'applied' },
      conditions: [{ text: '%{HTTPS} off', value: 'off', holds: true }],
    })
    expect(result.outcome).toMatchObject({ kind: 'file', file: '/api.html' })
    const secure = await explain({}, '/a?b', { vhost: { redirect_https: true } })
    expect(secure).toMatchObject({
      steps: [{ kind: 'entrance', status: 301, location: 'https://a.test/a?b' }],
      outcome: { kind: 'redirect', status: 301, location: 'https://a.test/a?b' },
    })
    const closed = await explain({}, '/', { vhost: { suspended: true } })
    expect(closed.outcome).toMatchObject({ kind: 'status', status: 503 })
  })
})

describe('rules that are not saved', () => {
  const tree: Tree = {
    '/.htaccess': 'RewriteEngine On\nRewriteRule ^ - [F]\n',
    '/a.html': 'a',
    '/sub': null,
    '/sub/.htaccess': 'RewriteRule ^down$ /a.html [L]\n',
  }

  it('stand in place of the file, and folders below keep theirs', async () => {
    expect((await explain(tree, '/a.html')).outcome.status).toBe(403)
    const draft = 'RewriteEngine On\nRewriteRule ^old$ /a.html [R=301,L]\n'
    const old = await explain(tree, '/old', { draft })
    expect(rulesOf(old)[0]).toMatchObject({ text: 'RewriteRule ^old$ /a.html [R=301,L]' })
    expect(old.outcome.location).toBe('http://a.test/a.html')
    expect((await explain(tree, '/sub/down', { draft })).outcome.file).toBe('/a.html')
    expect((await explain(tree, '/a.html')).outcome.status).toBe(403)
  })

  it('say where they cannot be understood, and what is left out', async () => {
    const bad = await explain(tree, '/a.html', { draft: '# mine\nRewriteRule ^(a $1\n' })
    expect(kindOf(bad, 'unreadable')[0]).toMatchObject({ line: 2, source: '/.htaccess' })
    expect(bad.outcome).toMatchObject({ kind: 'status', status: 500 })
    const odd = await explain(tree, '/a.html', { draft: 'Frobnicate yes\n' })
    expect(kindOf(odd, 'unknown')[0]).toMatchObject({ names: ['frobnicate'] })
    const long = await explain(tree, '/a.html', { draft: '#'.repeat(131_073) })
    expect(kindOf(long, 'unreadable')[0]).toMatchObject({ line: null, status: 500 })
  })

  it('end within bounds, and say which rule cost too much', async () => {
    const loop = 'RewriteEngine On\nRewriteRule ^(.*)$ x$1 [N]\n'
    const looped = await explain(tree, '/a', { draft: loop })
    expect(looped.outcome.status).toBe(500)
    expect(looped.steps.length).toBeLessThanOrEqual(2001)
    const around = 'RewriteEngine On\nRewriteRule ^(.*)$ /x/$1\n'
    const rounds = await explain(tree, '/a', { draft: around })
    expect(kindOf(rounds, 'ended')[0]).toMatchObject({ why: 'rounds', status: 500 })
    const slow = 'RewriteEngine On\nRewriteRule ^(x+x+)+y$ - [F]\n'
    const cost = await explain(tree, `/${'x'.repeat(200)}`, { draft: slow })
    expect(kindOf(cost, 'ended')[0]).toMatchObject({ why: 'steps', at: { line: 2 } })
    const many = `RewriteEngine On\n${'RewriteCond %{HTTP_USER_AGENT} ^$ [OR]\n'.repeat(990)}RewriteRule ^(.{0,9})$ x$1 [N]\n`
    const wide = await explain(tree, '/a', { draft: many })
    expect(JSON.stringify(wide).length).toBeLessThan(4_000_000)
    expect(wide.steps.at(-1)).toEqual({ kind: 'cut' })
  })
})

it('nothing is said of other sites, nor by their names', async () => {
  expect(await askSite({}, 'http://b.test/')).toBe('not-of-site')
  expect(await askSite({}, 'http://www.a.test/')).toMatchObject({ outcome: { status: 404 } })
})
