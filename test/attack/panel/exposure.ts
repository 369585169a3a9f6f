import { readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return '' // ended meanwhile, or not ours
  }
}
const pids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

/** Collects arguments and environments that hold one of `secrets`, for as long as `work` runs. */
const watchingProcesses = async (secrets: string[], work: () => Promise<void>) => {
  const shown: string[] = []
  let looks = 0
  let working = true
  const own = String(process.pid)
  const watch = (async () => {
    while (working) {
      for (const pid of pids()) {
        if (pid === own) continue
        for (const file of ['cmdline', 'environ']) {
          const text = read(`/proc/${pid}/${file}`)
          for (const secret of secrets)
            if (text.includes(secret)) shown.push(`${secret} in ${file}: ${text.slice(0, 200)}`)
        }
      }
      looks++
      await turn()
    }
  })()
  try {
    await work()
  } finally {
    working = false
    await watch
  }
  return { shown, looks }
}

/** Every file below a directory with its text. */
const texts = (directory: string): { file: string; text: string }[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, text: read(file) }))

test('no process, log or record shows a secret during any operation', async () => {
  const secrets = ['Pw-account-', 'Pw-changed-', 'Pw-database-', 'Pw-secondd-'].map(
    (name) => `${name}${Math.random().toString(36).slice(2)}`,
  )
  const [first = '', changed = '', database = '', second = ''] = secrets
  const tokens = [panel.token ?? 'none']
  const username = `btex${Math.random().toString(36).slice(2, 8)}`
  const { shown, looks } = await watchingProcesses([...secrets, ...tokens], async () => {
    const { id } = await panel.data<{ id: number }>('POST', '/api/accounts', {
      username,
      domain: `${username}.example.com`,
      email: 'a@example.com',
      password: first,
      plan: 'pro',
    })
    await panel.data('PATCH', `/api/accounts/${id}`, { password: changed })
    for (const [db_name, db_password] of [
      ['one', database],
      ['two', second],
    ])
      await panel.data('POST', '/api/databases', {
        account_id: id,
        db_name,
        db_password,
        engine: 'mariadb',
      })
    await panel.data('POST', `/api/accounts/${id}/suspend`)
    await panel.data('POST', `/api/accounts/${id}/unsuspend`)
    await panel.data('DELETE', `/api/databases/${id}/one`)
    const login = await panel.call('POST', '/api/auth/login', { username, password: changed }, null)
    expect(login.status).toBe(200)
    tokens.push((login.body.data as { token: string }).token)
    await panel.data('DELETE', `/api/accounts/${id}`)
  })
  expect(looks).toBeGreaterThan(5)
  expect(shown).toEqual([])
  // Data of the database server itself holds hashes only, which is its business.
  const { state_dir: state, log_dir: logs, run_dir: run } = instance.config.paths
  const found = [state, logs, run]
    .flatMap((directory) => texts(directory))
    .filter(({ text }) => [...secrets, ...tokens].some((secret) => text.includes(secret)))
    .map(({ file }) => file)
  expect(found).toEqual([])
})

test('nothing of the installation is open to tenants that is not meant to be', async () => {
  const tenant = await Tenant.create(panel)
  await tenant.put('public_html/a.php', '<?php echo 1;')
  expect((await instance.site(tenant.domain, '/a.php')).text).toBe('1')
  const { state_dir: state, log_dir: logs, run_dir: run, home_base: homes } = instance.config.paths
  const roots = [state, logs, run]

  // What any user could change, or a secret that any user could read.
  const wrong: string[] = []
  for (const root of roots)
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isSymbolicLink() || path.startsWith(`${homes}/`)) continue
      const { mode, uid } = statSync(path)
      // The database server's socket is for tenants, who log in with a password.
      if (path.endsWith('/mariadb.sock')) continue
      // An account's way to the mail queue, in a directory that it alone can enter.
      if (path.endsWith('/submit.sock') && (statSync(entry.parentPath).mode & 0o007) === 0) continue
      if ((mode & 0o002) !== 0) wrong.push(`${path} is writable by everybody`)
      // The log of its own PHP, in a directory that is root's.
      const isOwnLog = path.startsWith(`${logs}/php/${tenant.username}-`)
      // Its `/tmp`, in a directory that root alone enters.
      const isOwnTmp = path.startsWith(`${state}/account-tmp/${tenant.uid}`)
      if (uid === tenant.uid && !isOwnLog && !isOwnTmp) wrong.push(`${path} belongs to a tenant`)
    }
  expect(wrong).toEqual([])
  const rooms = statSync(join(state, 'account-tmp'))
  expect([rooms.mode & 0o7777, rooms.uid]).toEqual([0o700, statSync(state).uid])

  const readable = await tenant.run('find', [...roots, '-type', 'f', '-readable'])
  const names = readable.stdout.split('\n').filter((line) => line !== '')
  const secret = names.filter(
    (name) =>
      !name.startsWith(`${logs}/php/${tenant.username}-`) &&
      /\.db|secret|\.key|\.token|vhosts|certs|backups|\.log|panel\/|agent\//.test(name),
  )
  expect(secret).toEqual([])
  const writable = await tenant.run('find', [...roots, '-not', '-type', 'l', '-writable'])
  expect(
    writable.stdout.split('\n').filter((line) => line !== '' && !line.endsWith('mariadb.sock')),
  ).toEqual([])
  expect((await tenant.run('cat', ['--', instance.config.file])).code).not.toBe(0)
  expect(statSync(tenant.home).mode & 0o7777).toBe(0o710)
})

test('error texts tell nothing of the inside', async () => {
  const tenant = await Tenant.create(panel)
  const { token } = await panel.data<{ token: string }>('POST', '/api/auth/login', {
    username: tenant.username,
    password: tenant.password,
  })
  const { state_dir: state, run_dir: run } = instance.config.paths
  for (const [method, path, body] of [
    ['GET', `/api/files/list?account_id=${tenant.id}&path=nothing`],
    ['GET', `/api/files/read?account_id=${tenant.id}&path=../x`],
    ['POST', '/api/files/write', { account_id: tenant.id, path: 'public_html', content: '' }],
    ['GET', '/api/domains/999999'],
    ['DELETE', `/api/databases/${tenant.id}/nothing`],
    ['POST', '/api/accounts', {}],
  ] as const) {
    const { status, body: answer } = await panel.call(method, path, body, token)
    expect(status, path).toBeGreaterThanOrEqual(400)
    expect(status, path).toBeLessThan(500)
    const text = JSON.stringify(answer)
    for (const inside of [state, run, 'sqlite', 'SELECT', 'node:', '.ts:', 'errno'])
      expect(text, path).not.toContain(inside)
  }
})

test('no process inherits the starter’s environment or stands where a tenant writes', async () => {
  const tenant = await Tenant.create(panel)
  await tenant.put(
    'public_html/env.php',
    `<?php header('Content-Type: text/plain'); foreach (getenv() as $k => $v) echo "$k=$v\\n"; echo 'cwd ', getcwd();`,
  )
  await panel.call('GET', `/api/files/list?account_id=${tenant.id}&path=`)
  const seen = (await instance.site(tenant.domain, '/env.php')).text
  expect(seen).not.toMatch(/LD_|NODE_OPTIONS|BERTH|SECRET|\/root/)
  const { supervisor, agent, panel: panelPid, web, workers } = await instance.pids()
  const mine = new Set([agent, panelPid, web, ...workers].map(String))
  for (const pid of pids()) {
    const isTenants = read(`/proc/${pid}/status`).includes(`\nUid:\t${tenant.uid}\t`)
    if (!mine.has(pid) && !isTenants) continue
    const names = read(`/proc/${pid}/environ`)
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => entry.split('=')[0] ?? '')
    for (const name of names)
      expect(name, `process ${pid}`).not.toMatch(/^(LD_.*|NODE_OPTIONS|SSH_.*|npm_.*|VITEST.*)$/)
    const environment = read(`/proc/${pid}/environ`)
    expect(environment, `process ${pid}`).not.toMatch(/(^|\0)HOME=\/root(\0|$)/)
  }
  for (const pid of [supervisor, agent, panelPid, web, ...workers])
    expect(readlinkSync(`/proc/${pid}/cwd`)).not.toContain(instance.config.paths.home_base)
})
