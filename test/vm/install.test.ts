import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { setUpQuotas } from '#adapters/node/install/quotas/set-up-quotas.ts'
import { loadInstalledConfig } from '#adapters/node/install/load-installed-config.ts'
import { diskSharing } from '#adapters/node/machine/disk-sharing.ts'
import { quotaState } from '#adapters/node/machine/quota-state.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import { renderService } from '#adapters/node/service/install-service.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { APPLICATION } from './support/application.ts'
import { groupsOf, propertiesOf, sliceOf } from './support/groups-of.ts'
import { installer, PATIENCE_MS, START_MS } from './support/installer.ts'
import { sftpClient, sshClient } from './support/ssh-client.ts'
import { keptOverStart, MACHINE_START, startMachineAnew } from './support/start-machine-anew.ts'

const CONFIG = '/etc/berth/berth.toml'
const XFS = '/srv/xfs'
const LINGER = '/var/lib/systemd/linger'
const DISK = '/sys/block/vda/queue/scheduler'
const PLAN = {
  ...{ disk_quota_mb: 20, bandwidth_quota_mb: 10_000, domains_limit: 5, databases_limit: 5 },
  ...{ tokens_limit: 5, backups_limit: 5, processes_limit: 60, memory_limit_mb: 512 },
  ...{ memory_total_mb: 128, cpu_percent: 90, cpu_weight: 50, io_weight: 300 },
  ...{ ssh_keys_limit: 3, sftp_users_limit: 1, shells_limit: 1, applications_limit: 2 },
}
/** What is known of before the machine was started anew. */
interface Kept {
  token: string
  tenant: Tenant
  fstab: string
  failures: string[]
  digest: string
  appBegan: string
}
const known = MACHINE_START === 1 ? null : keptOverStart<Kept>()
let panel: PanelClient
let tenant: Tenant

const openPanel = async (token: string | null): Promise<void> => {
  const config = await loadInstalledConfig(CONFIG)
  const urls = { panelUrl: 'http://127.0.0.1:7070', managementUrl: 'http://127.0.0.1:8090' }
  panel = new PanelClient({ config, ...urls })
  panel.token = token
}
const site = async (path: string): Promise<string> => {
  const { stdout } = await runCommand('/usr/bin/curl', [
    ...['--silent', '--show-error', '--max-time', '300', '--header', `Host: ${tenant.domain}`],
    `http://127.0.0.1${path}`,
  ])
  return stdout
}
const php = async (name: string, code: string): Promise<string> => {
  await tenant.put(`public_html/${name}`, `<?php header('Cache-Control: no-store'); ${code}`)
  return site(`/${name}`)
}
const digestOf = async (): Promise<string> =>
  createHash('sha256')
    .update((await tenant.run('/bin/cat', ['--', tenant.path('public_html/data.txt')])).stdout)
    .digest('hex')
/** What all that runs of the account now may use together. */
const expectHeld = async (): Promise<void> => {
  const slice = sliceOf(tenant.uid)
  expect(await propertiesOf(slice, 'CPUWeight', 'CPUQuotaPerSecUSec', 'IOWeight')).toEqual({
    CPUWeight: '50',
    CPUQuotaPerSecUSec: '900ms',
    IOWeight: '300',
  })
  const bytes = 128 * 2 ** 20
  expect(
    await propertiesOf(sliceOf(tenant.uid, 'programs'), 'MemoryHigh', 'MemoryMax', 'TasksMax'),
  ).toEqual({
    ...{ MemoryHigh: String(Math.floor(bytes * 0.98)), MemoryMax: String(bytes), TasksMax: '60' },
  })
  // And the kernel was told: of BFQ a weight of 300 is 118.
  const [group = ''] = groupsOf(tenant.uid)
  const top = `/sys/fs/cgroup${group.replace(/(\/berth-\w+-\d+\.slice)\/.*$/, '$1')}`
  const said = (file: string): string => readFileSync(`${top}/${file}`, 'utf8').trim()
  expect([said('cpu.weight'), said('cpu.max')]).toEqual(['50', '90000 100000'])
  expect(said('io.bfq.weight')).toMatch(/^(?:default )?118$/)
}
/** Everything of the account, and what sshd and cron began for it, lies in its slice. */
const expectAllWithin = (): Promise<void> =>
  waitFor(
    () => {
      const groups = groupsOf(tenant.uid)
      expect(groups.join('\n')).toContain(`/${sliceOf(tenant.uid, 'programs')}/`)
      for (const group of groups) expect(group).toContain(`/${sliceOf(tenant.uid)}/`)
    },
    { timeout: PATIENCE_MS },
  )
/** Whatever its home says a systemd of its own would run, it has none; answers in which state the service is. */
const expectNoManager = async (): Promise<string> => {
  const { MainPID, SubState } = await propertiesOf(
    `user@${tenant.uid}.service`,
    ...['MainPID', 'SubState'],
  )
  expect(MainPID).toBe('0')
  expect(existsSync(tenant.path('escaped'))).toBe(false)
  return SubState ?? ''
}
const lingers = (): boolean => existsSync(`${LINGER}/${tenant.username}`)
const expectQuota = async (): Promise<void> => {
  const written = await tenant.run('/bin/dd', [
    ...['if=/dev/zero', `of=${tenant.path('big')}`, 'bs=100000', 'count=400', 'conv=fsync'],
  ])
  expect(written.stderr).toMatch(/Disk quota exceeded/)
  expect(
    await panel.data<{ disk_held_by: string }>('GET', `/api/accounts/${tenant.id}/use`),
  ).toMatchObject({ disk_held_by: 'kernel' })
  await tenant.run('/bin/rm', ['--', tenant.path('big')])
}
const cronWrote = async (): Promise<string> =>
  (await tenant.run('/bin/cat', ['--', tenant.path('cron.txt')])).stdout
/** Until cron has run by itself once more. */
const awaitCron = async (): Promise<void> => {
  const before = await cronWrote()
  await waitFor(async () => expect(await cronWrote()).not.toBe(before), { timeout: PATIENCE_MS })
  expect(await cronWrote()).toContain(`/${sliceOf(tenant.uid, 'programs')}/`)
}
const appBegan = (): Promise<string> =>
  waitFor(
    async () => {
      const answer = await site('/app')
      expect(answer).toMatch(/^began \d+$/)
      return answer
    },
    { timeout: PATIENCE_MS },
  )

/** What failed before the next start, whose tests alone are reported. */
const failures: string[] = []
afterEach(({ task }) => {
  // Shown where the machine itself comes to nothing.
  const said = task.result?.errors?.map(({ message }) => message).join(' ') ?? ''
  writeFileSync('/dev/console', `\nTEST ${task.name}: ${said === '' ? 'passed' : said}\n`)
  for (const { message } of task.result?.errors ?? []) failures.push(`${task.name}: ${message}`)
})

/** One of two files, by what the machine has behind it. */
const freshMachine = (): void => {
  let told = ''
  const fstab = readFileSync('/etc/fstab', 'utf8')
  beforeAll(async () => {
    await mustRun('/usr/bin/systemctl', ['unmask', '--', 'ssh.service'])
    await mustRun('/usr/bin/systemctl', ['enable', '--now', '--', 'ssh.service'])
    // As docs/install.md has it for slow machines.
    mkdirSync('/etc/berth', { recursive: true })
    writeFileSync(CONFIG, '[server]\nworker_start_secs = 1800\nworker_stall_secs = 300\n')
    told = await installer('--no-packages', '--health-secs', '1800')
    await openPanel(null)
  }, START_MS)

  test('has the service of systemd, which starts with it, and a kernel that keeps to quotas on /', async () => {
    expect(told).toContain('Berth is installed and serves.')
    expect(told).toMatch(/The kernel keeps to disk quotas at \/ from now on/)
    expect(await propertiesOf('berth.service', 'ActiveState', 'UnitFileState')).toEqual({
      ...{ ActiveState: 'active', UnitFileState: 'enabled' },
    })
    expect(await quotaState('/home')).toBe('held')
    expect(readFileSync('/etc/fstab', 'utf8')).toContain('usrjquota=aquota.user,jqfmt=vfsv1')
  })

  test('has an XFS besides, which keeps to quotas when it is started anew', async () => {
    await mustRun('/usr/bin/truncate', ['--size=400M', '--', '/var/tmp/xfs.disk'])
    await mustRun('/usr/sbin/mkfs.xfs', ['-q', '/var/tmp/xfs.disk'])
    mkdirSync(XFS, { recursive: true })
    const now = readFileSync('/etc/fstab', 'utf8')
    writeFileSync('/etc/fstab', `${now}/var/tmp/xfs.disk ${XFS} xfs loop,nofail 0 0\n`)
    await mustRun('/usr/bin/mount', ['--', XFS])
    mkdirSync('/var/lib/berth-quotas')
    expect(await setUpQuotas(XFS, '/var/lib/berth-quotas')).toMatch(/when it is mounted anew/)
    expect(await quotaState(XFS)).toBe('off')
    // A unit for homes there may set them then.
    const config = await loadInstalledConfig(CONFIG)
    const homes = { ...config, paths: { ...config.paths, home_base: XFS } }
    expect(renderService(homes, '/opt/berth/current').unit).toMatch(
      /^SystemCallFilter=.* quotactl /m,
    )
  })

  test('shares its disk out by weight once it has BFQ, as docs/limits.md says', async () => {
    expect(diskSharing('/home')).toMatch(/^vda has the scheduler (?:mq-deadline|none)$/)
    const [rule = ''] = /^ACTION==.*bfq"$/m.exec(readFileSync('docs/limits.md', 'utf8')) ?? []
    writeFileSync('/etc/udev/rules.d/60-bfq.rules', `${rule}\n`)
    writeFileSync('/etc/modules-load.d/bfq.conf', 'bfq\n')
    await mustRun('/usr/sbin/modprobe', ['--', 'bfq'])
    await mustRun('/usr/bin/udevadm', ['control', '--reload'])
    await mustRun('/usr/bin/udevadm', ['trigger', '--subsystem-match=block'])
    await waitFor(() => expect(readFileSync(DISK, 'utf8')).toContain('[bfq]'))
    expect(diskSharing('/home')).toBeNull()
  })

  test('takes an account, whose PHP lies in a slice with the limits of its plan', async () => {
    await panel.setup()
    expect(await panel.data('GET', '/api/system/info')).toMatchObject({
      account_limits: { kind: 'systemd slices', holds: ['cpu', 'memory', 'tasks', 'io'] },
    })
    await panel.data('POST', '/api/plans', { name: 'small', ...PLAN })
    tenant = await Tenant.create(panel, 'small')
    expect(await php('ok.php', 'echo "fine";')).toBe('fine')
    await expectAllWithin()
    await expectHeld()
  })

  test('opens its home by SFTP, and one folder to a user of its own, each in its jail', async () => {
    const sftp = await sftpClient(panel, tenant)
    const told = await sftp('ls -1 /\nput /etc/hostname public_html/by-sftp.txt\n')
    expect(told).toMatchObject({ code: 0, stderr: '' })
    expect(told.stdout).not.toMatch(/^\/(?:etc|usr|proc)$/m)
    expect(await site('/by-sftp.txt')).toBe('machine\n')
    // What a systemd of the account's own would run, which each log-in starts unless it is kept out.
    const units = '.config/systemd/user'
    await tenant.run('/bin/mkdir', ['-p', '--', tenant.path(units, 'default.target.wants')])
    const own = `[Service]\nType=oneshot\nExecStart=/bin/touch ${tenant.path('escaped')}\n`
    await tenant.put(`${units}/own.service`, own)
    const link = `symlink ../own.service ${units}/default.target.wants/own.service\n`
    expect(await sftp(link)).toMatchObject({ code: 0, stderr: '' })
    expect((await sftp('pwd\n')).code).toBe(0)
    await expectNoManager()
    const user = await panel.data<{ id: number; name: string }>('POST', '/api/sftp-users', {
      ...{ account_id: tenant.id, name: 'web', folder: 'public_html' },
    })
    const folder = await sftpClient(panel, tenant, user)
    expect((await folder('ls -1 /\nls -1 /files\n')).stdout).toMatch(
      /^\/files$[^]*^\/files\/by-sftp\.txt$/m,
    )
  })

  test('keeps cron, SSH and applications in it, too', async () => {
    await panel.data('POST', '/api/cron', {
      ...{ account_id: tenant.id, name: 'job', schedule: '* * * * *', kind: 'shell' },
      command: 'cat /proc/self/cgroup > cron.txt; date +%s >> cron.txt; sleep 20',
    })
    const application = {
      ...{ account_id: tenant.id, name: 'small', runtime_kind: 'none' },
      ...{ start_command: 'exec perl app.pl', start_limit_secs: 300, cpu_percent: 80 },
    }
    await panel.data('POST', '/api/applications', application)
    await tenant.put('apps/small/app.pl', APPLICATION)
    await panel.data('POST', `/api/applications/${tenant.id}/small/deploy`)
    const [domain] = await panel.data<{ id: number }[]>('GET', `/api/domains?q=${tenant.domain}`)
    await panel.data('PUT', `/api/applications/${tenant.id}/small/domains/${domain?.id}`, {
      paths: ['/app'],
    })
    await appBegan()
    await panel.data('PATCH', `/api/sftp/${tenant.id}/shell`, { shell: true })
    const session = await sshClient(tenant)
    expect((await session('echo here')).stdout).toBe('here\n')
    const long = session('sleep 60')
    await awaitCron()
    await expectAllWithin()
    // Of the application's own limit.
    const part = sliceOf(tenant.uid, 'programs').replace(/\.slice$/, '-small.slice')
    expect(await propertiesOf(part, 'CPUQuotaPerSecUSec')).toEqual({ CPUQuotaPerSecUSec: '800ms' })
    await long
  })

  test('has no systemd of its own where an administrator lets it linger either', async () => {
    await mustRun('/usr/bin/loginctl', ['enable-linger', '--', tenant.username])
    expect(lingers()).toBe(true)
    await waitFor(async () => expect(await expectNoManager()).toBe('exited'))
  })

  test('ends a program that takes memory without end, alone, and tells the owner', async () => {
    const hog = `shell_exec('head -c 900m /dev/zero | tail >/dev/null 2>&1'); echo 'went on';`
    expect(await php('hog.php', hog)).toBe('went on')
    const ends = async (): Promise<unknown[]> =>
      (await panel.data<{ memory_ends: unknown[] }>('GET', `/api/accounts/${tenant.id}/use`))
        .memory_ends
    await waitFor(async () => expect((await ends()).length).toBeGreaterThan(0), {
      timeout: PATIENCE_MS,
    })
    expect(await site('/ok.php')).toBe('fine')
  })

  test('refuses what an account writes beyond its quota, and is named as who holds it', expectQuota)

  test('is started anew', { timeout: START_MS }, async () => {
    await tenant.put('public_html/data.txt', 'of which nothing is lost\n'.repeat(10_000))
    const kept: Kept = {
      ...{ token: panel.token ?? '', tenant, fstab, failures },
      ...{ digest: await digestOf(), appBegan: await site('/app') },
    }
    await startMachineAnew(kept)
  })
}

const nextStart = (): void => {
  const {
    token = null,
    fstab = '',
    digest = '',
    appBegan: began = '',
    failures: earlier,
  } = known ?? {}
  beforeAll(async () => {
    if (known !== null) tenant = Tenant.known(known.tenant)
    await openPanel(token)
    await waitFor(
      async () =>
        expect(await propertiesOf('berth.service', 'ActiveState')).toEqual({
          ActiveState: 'active',
        }),
      { timeout: START_MS, interval: 2000 },
    )
  }, START_MS)

  test('did before what it should', () => {
    expect(earlier).toEqual([])
  })

  test('has lost nothing: sessions, accounts, plans, files, jobs, keys, applications', async () => {
    const accounts = await panel.data<unknown[]>('GET', '/api/accounts')
    expect(accounts).toMatchObject([{ username: tenant.username, plan: 'small' }])
    expect(await digestOf()).toBe(digest)
    const counts = { cron: 1, 'ssh-keys': 2, 'sftp-users': 1, applications: 1 }
    for (const [path, count] of Object.entries(counts))
      expect(await panel.data('GET', `/api/${path}/${tenant.id}`), path).toHaveLength(count)
  })

  test('serves sites and applications by itself', async () => {
    expect(await site('/ok.php')).toBe('fine')
    expect(await appBegan()).not.toBe(began)
  })

  test('holds the account as before: slices, cron, SSH, disk weights', async () => {
    expect(readFileSync(DISK, 'utf8')).toContain('[bfq]')
    const session = await sshClient(tenant)
    expect((await session('echo here')).stdout).toBe('here\n')
    await awaitCron()
    await expectAllWithin()
    await expectHeld()
  })

  test('has no systemd of its own at a start of the machine, which begins services of who lingers', async () => {
    expect(lingers()).toBe(true)
    await waitFor(async () => expect(await expectNoManager()).toBe('exited'))
  })

  test('is closed while it is suspended, and then has back what it had', async () => {
    await panel.data('POST', `/api/accounts/${tenant.id}/suspend`, { reason: null })
    expect(lingers()).toBe(false)
    expect(groupsOf(tenant.uid)).toEqual([])
    expect(await site('/ok.php')).not.toContain('fine')
    const session = await sshClient(tenant)
    expect(await session('echo here')).toMatchObject({ code: 255, stdout: '' })
    await panel.data('POST', `/api/accounts/${tenant.id}/unsuspend`)
    expect(lingers()).toBe(true)
    expect(await site('/ok.php')).toBe('fine')
    await appBegan()
    expect((await session('echo here')).stdout).toBe('here\n')
    await expectHeld()
    await expectNoManager()
  })

  test('keeps to quotas as before, and on XFS from now on', async () => {
    expect(await quotaState('/home')).toBe('held')
    await expectQuota()
    expect(await quotaState(XFS)).toBe('held')
  })

  test('lets go of the groups of an account that is deleted', async () => {
    const group = `/sys/fs/cgroup${groupsOf(tenant.uid)[0]?.replace(/(\/berth-\w+-\d+\.slice)\/.*$/, '$1')}`
    expect(existsSync(group)).toBe(true)
    const kept = `/etc/systemd/system/user@${tenant.uid}.service.d`
    expect(existsSync(kept)).toBe(true)
    // It may have services without being logged in, so logind keeps a directory for it.
    const runtime = `/run/user/${tenant.uid}`
    expect([lingers(), existsSync(runtime)]).toEqual([true, true])
    await panel.data('DELETE', `/api/accounts/${tenant.id}`)
    for (const path of [group, kept, `${LINGER}/${tenant.username}`, runtime])
      expect([path, existsSync(path)]).toEqual([path, false])
  })

  test(
    'is as before Berth came once that is uninstalled with all settings',
    { timeout: START_MS },
    async () => {
      expect(await installer('--uninstall', '--purge', '--yes')).toMatch(/no disk quotas at \//)
      expect(readFileSync('/etc/fstab', 'utf8').startsWith(fstab)).toBe(true)
      expect(await quotaState('/home')).toBe('off')
      expect(existsSync('/aquota.user')).toBe(false)
    },
  )
}

if (known === null) describe('a fresh machine', freshMachine)
else describe('the machine after its next start', nextStart)
