import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { asUser } from '#adapters/node/process/as-user.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

const SECRET = 'the-secret-of-bella'
let mallory: Tenant
let bella: Tenant

beforeAll(async () => {
  mallory = await Tenant.create(panel)
  bella = await Tenant.create(panel)
  await bella.put('secret.txt', SECRET)
  await bella.put('public_html/page.html', `<p>${SECRET}</p>`)
  await bella.put('public_html/config.php', `<?php $secret = '${SECRET}'; echo 'config of bella';`)
  // Its PHP runs and OPcache holds the file before anyone else asks for it.
  expect((await instance.site(bella.domain, '/config.php')).text).toContain('config of bella')
})

/** Answer of a PHP snippet run by mallory's site. */
const php = async (code: string): Promise<string> => {
  await mallory.put('public_html/probe.php', `<?php header('Cache-Control: no-store');\n${code}`)
  return (await instance.site(mallory.domain, '/probe.php')).text
}

describe('through PHP', () => {
  test.each([
    ['read a private file', () => `echo @file_get_contents('${bella.path('secret.txt')}');`],
    [
      'read a public file',
      () => `echo @file_get_contents('${bella.path('public_html/page.html')}');`,
    ],
    [
      'include a file that is in the other OPcache',
      () => `@include '${bella.path('public_html/config.php')}'; echo $secret ?? 'nothing';`,
    ],
    ['list the home', () => `echo implode(' ', @scandir('${bella.home}') ?: ['nothing']);`],
    [
      'follow an own link',
      () =>
        `@symlink('${bella.path('secret.txt')}', '${mallory.path('public_html/l')}'); echo @file_get_contents('${mallory.path('public_html/l')}'); @unlink('${mallory.path('public_html/l')}');`,
    ],
    [
      'run a program',
      () =>
        `echo @shell_exec('cat ${bella.path('secret.txt')} ${bella.path('public_html/page.html')} 2>&1');`,
    ],
    [
      'see cached scripts',
      () =>
        `echo json_encode(function_exists('opcache_get_status') ? @opcache_get_status(true) : null);`,
    ],
  ])('cannot %s', async (_name, code) => {
    const text = await php(`echo 'ran:'; ${code()}`)
    expect(text).toMatch(/^ran:/)
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('config of bella')
    expect(text).not.toContain('public_html/config.php"')
  })

  test("no socket of ours, nor another account's, opens to a tenant", async () => {
    const sockets = (
      await readdir(instance.config.paths.run_dir, { recursive: true, withFileTypes: true })
    )
      .filter((entry) => entry.isSocket())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      // Database servers are there for tenants, who log in with a password.
      .filter((path) => !path.includes('mariadb'))
    expect(sockets.length).toBeGreaterThanOrEqual(4)
    expect(sockets.some((path) => path.includes(bella.username))).toBe(true)
    // His own way to the mail queue, in a directory that he alone can enter.
    const ownMail = `${instance.config.paths.run_dir}/mail/${mallory.username}/submit.sock`
    expect(sockets.filter((path) => path.endsWith('/submit.sock')).length).toBeGreaterThan(1)
    for (const socket of sockets) {
      const direct = await mallory.run('/usr/bin/php', [
        '-r',
        `echo @stream_socket_client($argv[1], $e, $m, 2) ? 'open' : 'closed';`,
        '--',
        `unix://${socket}`,
      ])
      expect(direct.stdout, socket).toBe(socket === ownMail ? 'open' : 'closed')
    }
  })

  test('the management API answers nothing without its token, which tenants cannot read', async () => {
    const text = await php(
      `echo @file_get_contents('${instance.managementUrl}/api/v1/cache/stats') ?: 'refused';
       echo @file_get_contents('${instance.config.paths.run_dir}/management.token') ?: 'unreadable';`,
    )
    expect(text).toBe('refusedunreadable')
    for (const secret of ['management.token', 'agent.sock']) {
      const result = await mallory.run('cat', ['--', `${instance.config.paths.run_dir}/${secret}`])
      expect(result.code, secret).not.toBe(0)
    }
    for (const directory of [
      instance.config.paths.secrets_dir,
      `${instance.config.paths.state_dir}/agent`,
      `${instance.config.paths.state_dir}/panel`,
    ]) {
      expect((await mallory.run('ls', ['--', directory])).code, directory).not.toBe(0)
    }
  })
})

describe('through the file API', () => {
  const paths = (): string[] => [
    `../${bella.username}/secret.txt`,
    bella.path('secret.txt'),
    `public_html/../../${bella.username}/secret.txt`,
    'public_html/link',
    'public_html/up/secret.txt',
  ]
  test('reads, writes, lists, changes and deletes nothing of another home', async () => {
    await mallory.run('ln', [
      '-sfn',
      '--',
      bella.path('secret.txt'),
      mallory.path('public_html/link'),
    ])
    await mallory.run('ln', ['-sfn', '--', bella.home, mallory.path('public_html/up')])
    const token = (
      await panel.call(
        'POST',
        '/api/auth/login',
        { username: mallory.username, password: mallory.password },
        null,
      )
    ).body.data as { token: string }
    for (const path of paths()) {
      const at = { account_id: mallory.id, path }
      const answers = [
        await panel.call(
          'GET',
          `/api/files/read?${new URLSearchParams({ account_id: String(mallory.id), path })}`,
          undefined,
          token.token,
        ),
        await panel.call(
          'GET',
          `/api/files/list?${new URLSearchParams({ account_id: String(mallory.id), path })}`,
          undefined,
          token.token,
        ),
        await panel.call('POST', '/api/files/chmod', { ...at, mode: '777' }, token.token),
        await panel.call('POST', '/api/files/mkdir', { ...at, path: `${path}/new` }, token.token),
      ]
      for (const answer of answers) {
        expect(answer.status, path).toBeGreaterThanOrEqual(400)
        expect(answer.status, path).toBeLessThan(500)
        expect(JSON.stringify(answer.body)).not.toContain(SECRET)
      }
      await panel.call('POST', '/api/files/write', { ...at, content: 'overwritten' }, token.token)
      await panel.call('DELETE', '/api/files/delete', at, token.token)
    }
    const other = await panel.call(
      'GET',
      `/api/files/read?account_id=${bella.id}&path=secret.txt`,
      undefined,
      token.token,
    )
    expect([403, 404]).toContain(other.status)
    expect((await bella.run('cat', ['--', bella.path('secret.txt')])).stdout).toBe(SECRET)
    expect(
      (await bella.run('stat', ['-c', '%a', '--', bella.path('secret.txt')])).stdout.trim(),
    ).toBe('644')
  })
})

describe('through the web server', () => {
  test('links, hard links and FIFOs in a document root show nothing and block nothing', async () => {
    const root = mallory.path('public_html')
    await mallory.run('ln', ['-sfn', '--', bella.path('public_html/page.html'), `${root}/a.html`])
    await mallory.run('ln', ['-sfn', '--', bella.path('public_html'), `${root}/dir`])
    await mallory.run('ln', ['-sfn', '--', '/etc/passwd', `${root}/passwd.txt`])
    await mallory.run('ln', ['-sfn', '--', bella.path('public_html/config.php'), `${root}/b.php`])
    await mallory.run('mkfifo', ['--', `${root}/fifo.html`])
    for (const path of [
      '/a.html',
      '/dir/page.html',
      '/passwd.txt',
      '/b.php',
      '/dir/config.php',
      '/fifo.html',
    ]) {
      const answer = await instance.site(mallory.domain, path, { timeoutMs: 30_000 })
      expect(answer.status, path).toBe(404)
      expect(answer.text).not.toContain(SECRET)
    }
  })

  test('also while links and FIFOs are swapped in and out during requests', async () => {
    const swapper = startSwapper(mallory, bella)
    try {
      await once(swapper.stdout!, 'data')
      const deadline = Date.now() + 8000
      let answers = 0
      while (answers < 200 || (Date.now() < deadline && answers < 3000)) {
        const round = await Promise.all(
          ['/swap.html', '/swapdir/page.html', '/swap.php', '/swap.html', '/swapdir/page.html'].map(
            (path) => instance.site(mallory.domain, path, { timeoutMs: 30_000 }),
          ),
        )
        for (const answer of round) {
          answers++
          expect(answer.text).not.toContain(SECRET)
          expect(answer.text).not.toContain('root:x:0')
          expect(answer.text).not.toContain('config of bella')
          expect(answer.status).toBeLessThan(600)
        }
        const read = await panel.call(
          'GET',
          `/api/files/read?account_id=${mallory.id}&path=public_html%2Fswap.html`,
        )
        expect(JSON.stringify(read.body)).not.toContain(SECRET)
      }
    } finally {
      swapper.kill('SIGKILL')
      await once(swapper, 'exit')
    }
    expect((await instance.site(bella.domain, '/page.html')).text).toContain(SECRET)
  })
})

/** A process of `attacker` that keeps exchanging a file, a link to `victim` and a FIFO under the same names. */
const startSwapper = (attacker: Tenant, victim: Tenant): ChildProcess => {
  const root = attacker.path('public_html')
  const code = `
    [$root, $page, $dir, $script] = array_slice($argv, 1);
    @mkdir("$root/.own"); file_put_contents("$root/.own/page.html", 'own page');
    echo "ready\\n";
    $end = microtime(true) + 60;
    while (microtime(true) < $end) {
      file_put_contents("$root/.n", 'own page'); rename("$root/.n", "$root/swap.html"); usleep(200);
      symlink($page, "$root/.n"); rename("$root/.n", "$root/swap.html"); usleep(200);
      posix_mkfifo("$root/.n", 0644); rename("$root/.n", "$root/swap.html"); usleep(200);
      symlink("$root/.own", "$root/.d"); rename("$root/.d", "$root/swapdir"); usleep(200);
      symlink($dir, "$root/.d"); rename("$root/.d", "$root/swapdir"); usleep(200);
      file_put_contents("$root/.p", '<?php echo "own script";'); rename("$root/.p", "$root/swap.php"); usleep(200);
      symlink($script, "$root/.p"); rename("$root/.p", "$root/swap.php"); usleep(200);
    }`
  const argv = asUser(
    { uid: attacker.uid, gid: attacker.uid, groups: 'none' },
    '/usr/bin/php',
    [
      '-r',
      code,
      '--',
      root,
      victim.path('public_html/page.html'),
      victim.path('public_html'),
      victim.path('public_html/config.php'),
    ],
    { dieWithParent: true },
  )
  return spawn(argv.program, argv.args, { stdio: ['ignore', 'pipe', 'ignore'], cwd: '/', env: {} })
}
