import { execFileSync } from 'node:child_process'
import {
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost, TENANT_UID } from './php-fpm.ts'

const host = createTestHost()
const at = (name: string): string => join(host.root, name)
const outside = join(host.directory, 'outside')
const SECRET = 'NOT YOURS'
const own = (path: string): void => chownSync(path, TENANT_UID, TENANT_UID)

beforeAll(async () => {
  host.plant({ '/ok.html': 'ok', '/sub': null, '/ok.php': '<?php echo "ran";' })
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.html'), SECRET)
  // PHP opens scripts by name, as the tenant: what it must not run, the tenant cannot read.
  writeFileSync(join(outside, 'secret.php'), `<?php echo '${SECRET}';`, { mode: 0o600 })
  // Owned by the tenant, but elsewhere: the place counts as much as the owner.
  writeFileSync(join(outside, 'mine.html'), SECRET)
  own(join(outside, 'mine.html'))
  await host.startPhp()
})
afterAll(() => host.stop())

const openDescriptors = (): number => readdirSync('/proc/self/fd').length

describe('files that are not the site’s', () => {
  const status = async (path: string): Promise<number> => {
    const response = await host
      .site({ php: { enable: false, version: null, mode: 'fpm', socket: null } })
      .visit(path)
    expect(await response.text()).not.toContain(SECRET)
    return response.status
  }

  it('serves links that stay in the home', async () => {
    symlinkSync('ok.html', at('link.html'))
    symlinkSync('sub', at('linked'))
    host.plant({ '/sub/a.html': 'sub' })
    expect([await status('/link.html'), await status('/linked/a.html')]).toEqual([200, 200])
  })

  it('hides what links lead out to', async () => {
    symlinkSync(join(outside, 'secret.html'), at('out.html'))
    symlinkSync(join(outside, 'mine.html'), at('out-mine.html'))
    symlinkSync(outside, at('outdir'))
    symlinkSync('/etc/passwd', at('passwd.txt'))
    symlinkSync('/proc/self/environ', at('environ.txt'))
    symlinkSync('/dev/zero', at('zero.txt'))
    symlinkSync('loop.html', at('loop.html'))
    symlinkSync('/dev', at('dev'))
    const paths = ['/out.html', '/out-mine.html', '/outdir/secret.html', '/passwd.txt', '/outdir']
    for (const path of [...paths, '/environ.txt', '/zero.txt', '/loop.html', '/dev/zero']) {
      expect([path, await status(path)]).toEqual([path, 404])
    }
  })

  it('hides a site whose document root leads out', async () => {
    symlinkSync(outside, join(host.home, 'linked-root'))
    const { visit } = host.site({ root: join(host.home, 'linked-root') })
    for (const path of ['/secret.html', '/mine.html', '/secret.php', '/']) {
      const response = await visit(path)
      expect([path, response.status]).toEqual([path, 404])
    }
  })

  it('hides files of another owner, hard links among them', async () => {
    linkSync(join(outside, 'secret.html'), at('hard.html'))
    linkSync(join(outside, 'secret.php'), at('hard.php'))
    writeFileSync(at('root.html'), SECRET)
    expect([await status('/hard.html'), await status('/root.html')]).toEqual([404, 404])
    expect((await host.site().visit('/hard.php')).status).toBe(404)
  })

  it('never waits for FIFOs, nor talks to sockets', async () => {
    execFileSync('/usr/bin/mkfifo', ['--', at('fifo.html'), at('fifo.php')])
    own(at('fifo.html'))
    own(at('fifo.php'))
    const server = createServer().listen(at('socket.html'))
    await new Promise((resolve) => server.once('listening', resolve))
    own(at('socket.html'))
    expect([await status('/fifo.html'), await status('/socket.html')]).toEqual([404, 404])
    expect((await host.site().visit('/fifo.php')).status).toBe(404)
    await new Promise((resolve) => server.close(resolve))
  })

  it('runs no script from outside, and none under a picture’s name', async () => {
    symlinkSync(join(outside, 'secret.php'), at('out.php'))
    host.plant({ '/pic.jpg': '<?php echo "ran";' })
    const { visit } = host.site()
    expect((await visit('/out.php')).status).toBe(404)
    for (const path of ['/pic.jpg/x.php', '/pic.jpg%00.php', '/pic.jpg/.php']) {
      expect(await (await visit(path)).text()).not.toContain('ran')
    }
    expect(await (await visit('/ok.php/x.jpg')).text()).toBe('ran')
  })

  it('serves only its own while everything is swapped', async () => {
    const { visit } = host.site()
    host.plant({ '/real': null, '/real/page.html': 'mine', '/keep.php': '<?php echo "mine";' })
    const forms = ['page.html', 'page.php'].flatMap((name) => {
      const path = at(`swap-${name}`)
      const secret = join(outside, name === 'page.html' ? 'secret.html' : 'secret.php')
      const good = name === 'page.html' ? at('real/page.html') : at('keep.php')
      const put = (make: (temporary: string) => void) => () => {
        const temporary = at('.swap')
        rmSync(temporary, { force: true })
        make(temporary)
        renameSync(temporary, path)
      }
      return [
        put((temporary) => linkSync(good, temporary)),
        put((temporary) => symlinkSync(secret, temporary)),
        put((temporary) => {
          execFileSync('/usr/bin/mkfifo', ['--', temporary])
          own(temporary)
        }),
        put((temporary) => linkSync(secret, temporary)),
      ]
    })
    let dir = 0
    const swapDirectory = (): void => {
      rmSync(at('swapdir'), { force: true })
      symlinkSync(dir++ % 2 === 0 ? outside : at('real'), at('swapdir'))
    }
    const before = openDescriptors()
    const untilMs = performance.now() + 2000
    const seen = new Set<string>()
    const swapping = async (): Promise<void> => {
      for (let i = 0; performance.now() < untilMs; i++) {
        forms[i % forms.length]?.()
        swapDirectory()
        await turn()
      }
    }
    const asking = async (path: string): Promise<void> => {
      while (performance.now() < untilMs) {
        const response = await visit(path)
        const text = await response.text()
        expect([path, text]).not.toEqual([path, expect.stringContaining(SECRET)])
        seen.add(`${response.status} ${response.status === 200 ? text : ''}`)
        await turn()
      }
    }
    await Promise.all([
      swapping(),
      ...['/swap-page.html', '/swap-page.php', '/swapdir/page.html', '/swapdir/secret.html'].map(
        asking,
      ),
    ])
    expect(seen).toContain('200 mine')
    expect(seen).toContain('404 ')
    expect(openDescriptors()).toBeLessThanOrEqual(before + 2)
  })
})

describe('sending files', () => {
  const bytes = Buffer.alloc(5_500_001, 'berth.')

  it('sends large files whole and in parts, and lets go of them', async () => {
    host.plant({ '/large.bin': bytes })
    const { visit } = host.site()
    const before = openDescriptors()
    expect(Buffer.compare(await (await visit('/large.bin')).bytes(), bytes)).toBe(0)
    const part = await visit('/large.bin', { headers: { range: 'bytes=1000000-4000000' } })
    expect(Buffer.compare(await part.bytes(), bytes.subarray(1_000_000, 4_000_001))).toBe(0)
    for (let round = 0; round < 20; round++) {
      const reader = (await visit('/large.bin')).body!.getReader()
      if (round % 2 === 0) await reader.read()
      await reader.cancel()
      await visit('/large.bin', { method: 'HEAD' })
      await visit('/large.bin', { headers: { 'if-none-match': '*' } })
      await visit('/large.bin', { method: 'POST' })
    }
    expect(openDescriptors()).toBeLessThanOrEqual(before)
  })

  it('fails when a file shrinks while it is sent', async () => {
    host.plant({ '/shrinks.bin': bytes })
    const { visit } = host.site()
    const before = openDescriptors()
    const response = await visit('/shrinks.bin')
    truncateSync(at('shrinks.bin'), 10)
    await expect(response.bytes()).rejects.toThrow('shorter')
    expect(openDescriptors()).toBeLessThanOrEqual(before)
  })

  it('goes on sending the version it began with', async () => {
    host.plant({ '/page.bin': bytes })
    const { visit } = host.site()
    const response = await visit('/page.bin')
    unlinkSync(at('page.bin'))
    host.plant({ '/page.bin': 'new' })
    expect((await response.bytes()).length).toBe(bytes.length)
    expect(await (await visit('/page.bin')).text()).toBe('new')
  })
})
