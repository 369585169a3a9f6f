import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createSiteRules } from '#handlers/sites/htaccess/files/site-rules.ts'
import { normalizeTarget } from '#handlers/sites/paths/request-path.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import { hostConfig } from '#test/node/web-server/support/engine-server.ts'
import { memoryFiles } from '../memory-site.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const heapBytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed
}
const nothing = (): void => undefined

/** Without client's parts that rules could look at. */
const context: SiteContext = {
  clientAddress: '192.0.2.1',
  clientPort: 1,
  serverAddress: '192.0.2.2',
  serverPort: 80,
  secure: false,
  serverName: null,
  protocol: 'HTTP/1.1',
  rawTarget: '/',
}

it('what is remembered of paths stays small, however long, many and widely spread they are', async () => {
  const rules = createSiteRules({
    files: memoryFiles({}),
    ruleFiles: {
      read: ({ path }) =>
        Promise.resolve(
          path === '/.htaccess'
            ? { kind: 'text', text: 'RewriteEngine On\nRewriteRule ^ok$ - [L]\n', stamp: '1' }
            : { kind: 'missing' },
        ),
      verifyPassword: () => Promise.resolve(false),
    },
    log: { info: nothing, warn: nothing, error: nothing },
    nowMs: () => 0,
  })
  const hosts = Array.from({ length: 12 }, (_, n) => hostConfig(`s${n}.test`, { htaccess: true }))
  const ask = async (n: number, path: string): Promise<string | null> => {
    const vhost = hosts[n % hosts.length]
    const target = normalizeTarget(path)
    if (vhost === undefined || target === null) throw new Error(path)
    const request = new Request(`http://${vhost.domain}/`)
    await rules.judge(request, { vhost, host: vhost.domain, target, context })
    return rules.fastEdition(vhost, path)
  }
  await ask(0, '/usual/')
  expect(await ask(0, '/usual/')).not.toBeNull()
  const before = heapBytes()
  for (let n = 0; n < 6000; n++) await ask(n, `/${n}${'x'.repeat(12_000)}${n % 2 ? '/' : ''}`)
  expect(heapBytes() - before).toBeLessThan(40 * 2 ** 20)
  for (let n = 0; n < 30_000; n++) await ask(n, `/${n}${'x'.repeat(900)}`)
  expect(heapBytes() - before).toBeLessThan(60 * 2 ** 20)
  expect(await ask(0, '/usual/')).not.toBeNull()
})
