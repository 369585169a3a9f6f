import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import type { WebProcess } from '../web-server/support/web-process.ts'
import { ask, startApp, startProxied, type RunningApp } from './support/proxied-web.ts'

/** `alice` with the password `secret`, hashed by `openssl passwd -apr1`. */
const PASSWORDS = 'alice:$apr1$berthsal$rl9fukOteojlJ/DKahkNc0\n'

let web: WebProcess
let app: RunningApp
beforeAll(async () => {
  makeDirectory()
  writeFileSync(join(directory, 'passwords'), PASSWORDS)
  app = await startApp((message, out) => {
    out.setHeader('content-type', 'text/plain')
    const { cookie = 'none', 'x-given': given = '' } = message.headers
    out.end(message.url === '/cookies' ? cookie : `app ${message.url} ${given}`)
  })
  web = await startProxied(app, {
    rule: 'except = ["/files"]',
    more: `
root = "${directory}"
rewrites = [{ pattern = "^/old/(.*)$", target = "/new/$1", flags = "R=301,L" }]
rules = '''
Header set X-Ruled yes
RequestHeader set X-Given by-rules
Redirect gone /gone
<If "%{HTTP_COOKIE} =~ /secret/">
  Require all denied
</If>
<If "%{REQUEST_URI} =~ m#^/admin(/|$)#">
  Require all denied
</If>
<If "%{REQUEST_URI} =~ m#^/private(/|$)#">
  AuthType Basic
  AuthName Private
  AuthUserFile ${directory}/passwords
  Require valid-user
</If>
'''`,
  })
})
afterAll(async () => {
  await web?.remove()
  await app?.close()
})

describe('rules of the host count for what is passed on', () => {
  test('headers of both directions', async () => {
    const answer = await ask(web.port, '/.any/path')
    expect(answer.text).toBe('app /.any/path by-rules')
    expect(answer.headers['x-ruled']).toBe('yes')
  })

  test('and see nothing of the panel’s session', async () => {
    const cookies = async (cookie: string) => {
      const { status, text } = await ask(web.port, '/cookies', { headers: { cookie } })
      return [status, status === 200 ? text : '']
    }
    expect(await cookies('a=secret')).toEqual([403, ''])
    expect(await cookies('panel_token=secret; a=1')).toEqual([200, 'a=1'])
  })

  test.each([
    ['/admin', 403],
    ['/admin/deep', 403],
    ['/%61dmin/deep', 403],
    ['//admin/deep', 403],
    ['/administration', 200],
    ['/gone', 410],
    ['/old/x', 301],
    ['/private/x', 401],
  ])('%s is answered %i', async (path, status) => {
    const answer = await ask(web.port, path)
    expect(answer.status).toBe(status)
    if (status !== 200) expect(answer.text).not.toContain('app ')
  })

  test('a password opens what asks for one', async () => {
    const authorization = (password: string): { authorization: string } => ({
      authorization: `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`,
    })
    const wrong = await ask(web.port, '/private/x', { headers: authorization('wrong') })
    expect(wrong.status).toBe(401)
    const right = await ask(web.port, '/private/x', { headers: authorization('secret') })
    expect(right).toMatchObject({ status: 200, text: 'app /private/x by-rules' })
  })

  test('a WebSocket is refused where a page is', async () => {
    const answer = await ask(web.port, '/admin/socket', {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      },
    })
    expect(answer.status).toBe(403)
  })

  test('what is excepted is not passed on', async () => {
    expect((await ask(web.port, '/files/x')).status).toBe(404)
    expect((await ask(web.port, '/filesystem')).text).toContain('app /filesystem')
  })
})
