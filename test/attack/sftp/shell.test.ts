import { existsSync } from 'node:fs'
import { mkdir, readFile, symlink, writeFile, chown } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TENANT_OOM_SCORE } from '#adapters/node/process/as-user.ts'
import { mustRun, runCommand } from '#adapters/node/process/run-command.ts'
import type { OsUser } from '#handlers/ports/host/users.ts'
import { runAs } from '#test/node/agent/agent-fixture.ts'
import { createSftpHost, type KeyPair, type SftpHost } from '#test/node/sftp/sftp-host.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'

/** What an account tries that has a shell, with the real client at the real server. */
describe('the room of a shell', () => {
  let subject: SftpHost
  let user: OsUser
  let other: OsUser
  let key: KeyPair
  let secret: Server
  let secretPort = 0
  let asked = 0
  const give = (shell: boolean) =>
    subject.sftp.setLogins({
      username: user.username,
      passwords: true,
      users: [],
      shell,
      keys: [{ id: 7, publicKey: key.publicKey, expiresAt: null }],
    })
  beforeAll(async () => {
    subject = await createSftpHost()
    await subject.sftp.start()
    user = await subject.host.account()
    other = await subject.host.account()
    await runAs(other, '/bin/sh', '-c', 'echo theirs > theirs.txt; chmod 777 . theirs.txt')
    key = await subject.newKey()
    await give(true)
    const limits = { processes: 40, memoryMb: 128 }
    const shares = { memoryTotalMb: 0, cpuWeight: 100, cpuPercent: 0, ioWeight: 100 }
    await subject.host.users.setLimits({
      ...{ operationId: 'op-limits', username: user.username },
      ...limits,
      ...shares,
    })
    await give(false)
    await give(true)
    secret = createServer((socket) => {
      asked += 1
      socket.end('secret of this machine')
    }).listen(0, '127.0.0.1')
    await once(secret, 'listening')
    const address = secret.address()
    secretPort = typeof address === 'object' && address !== null ? address.port : 0
  })
  afterAll(async () => {
    secret?.close()
    await subject?.dispose()
  })
  const to = (): string => `${user.username}@127.0.0.1`
  const ssh = (...words: string[]) => subject.client('ssh', [to(), ...words], { key })
  const runs = async (name: string): Promise<boolean> =>
    (await runCommand('pgrep', ['-r', 'R,S,D,T', '-u', String(user.uid), '-f', name])).code === 0
  const own = (name: string, content: string, mode = 0o755) =>
    writeFile(join(user.home, name), content, { mode }).then(() =>
      chown(join(user.home, name), user.uid, user.gid),
    )

  it("shows neither other accounts nor what is Berth's or the machine's own", async () => {
    const { stdout } = await ssh(
      [
        `ls -a / /etc /run /var /tmp ${join(user.home, '..')} ${join(user.home, '../..')}`,
        `cat ${other.home}/theirs.txt`,
        'cat /etc/passwd /etc/group /etc/shadow /etc/berth/berth.toml',
        'ls /root /home /work /opt /boot /sys /proc/1/root /var/lib /var/log',
        'getent passwd root',
      ].join('; '),
    )
    for (const word of [other.username, 'theirs', 'root:', 'shadow', 'berth.toml', 'ssh_host'])
      expect(stdout).not.toContain(word)
    expect(existsSync(join(subject.directory, 'state'))).toBe(true)
    expect((await ssh(`ls ${subject.directory}`)).code).not.toBe(0)
  })
  it('shows no processes of others, and reaches none', async () => {
    const as = runAs(other, '/bin/sleep', '60').catch(() => undefined)
    const { stdout } = await ssh('ps -eo user:40,args; ls /proc; kill -0 1; kill -9 1')
    expect(stdout).not.toContain(other.username)
    expect(stdout).not.toContain(String(other.uid))
    expect(stdout.split('\n')).not.toContain('1')
    const pids = (await mustRun('pgrep', ['-u', String(other.uid)])).stdout.trim().split('\n')
    for (const pid of pids) {
      expect(
        (await ssh(`kill -9 ${pid}; cat /proc/${pid}/environ /proc/${pid}/cmdline`)).code,
      ).not.toBe(0)
      expect(existsSync(`/proc/${pid}`)).toBe(true)
    }
    await runCommand('pkill', ['-KILL', '-u', String(other.uid), 'sleep'])
    await as
  })
  it('cannot be changed by who is in it', async () => {
    const words = [
      ...['mkdir /x', 'touch /etc/x', 'touch /usr/x', 'touch /usr/local/bin/x', 'rm /bin'],
      ...['echo x > /run/berth/limits', 'rm /run/berth/limits', 'rm /run/berth/log'],
      ...['ln -sf /bin/false /run/berth/php/php', 'touch /run/berth/shared/etc/x', 'rm /dev/null'],
      ...['mount -t tmpfs none /tmp', 'umount /proc', 'mount -o remount,rw /usr', 'chroot / id'],
      ...['unshare -Ur true', 'unshare -m true', 'mknod x c 1 3', 'mknod /tmp/x b 8 0'],
      ...[`mv ${user.home} /moved`, 'chmod 777 /', 'nsenter -t 1 -m id'],
      ...['touch /usr/lib/openssh/sftp-server', 'pivot_root . .'],
    ]
    for (const word of words) expect([word, (await ssh(word)).code]).not.toEqual([word, 0])
    // Of what is mounted on the machine it is told nothing.
    expect((await ssh('cat /proc/self/mountinfo')).stdout).toBe('')
  })
  it('gives no rights that its user has not, by whatever program', async () => {
    const { stdout } = await ssh('cat /proc/self/status; su -c id; sudo -n id; ping -c1 127.0.0.1')
    expect(stdout).toMatch(/NoNewPrivs:\t1/)
    expect(stdout).toMatch(/CapEff:\t0{16}/)
    expect(stdout).not.toContain('uid=0')
    // One that is set-uid for somebody else lies in its own home.
    await mustRun('cp', ['/usr/bin/id', join(user.home, 'as-other')])
    await mustRun('chown', [`${other.uid}:${other.gid}`, join(user.home, 'as-other')])
    await mustRun('chmod', ['6755', join(user.home, 'as-other')])
    expect((await ssh('./as-other')).stdout).not.toContain(String(other.uid))
  })
  it('keeps its limits whatever the account brings along', async () => {
    // A library that would say so if it ran where there are no limits yet.
    const evil = join(user.home, 'evil.c')
    await own('evil.c', '')
    const compiled = await runCommand('/usr/bin/cc', ['--version']).catch(() => null)
    if (compiled?.code === 0) {
      await writeFile(
        evil,
        `#include <sys/resource.h>
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void f(void) { struct rlimit l; getrlimit(RLIMIT_NPROC, &l);
if (l.rlim_max > 40) { int d = open("${user.home}/unlimited", O_CREAT | O_WRONLY, 0644); close(d); } }
`,
      )
      await mustRun('/usr/bin/cc', ['-shared', '-fPIC', '-o', join(user.home, 'evil.so'), evil])
    }
    const lines = ['LD_PRELOAD', 'LD_AUDIT', 'LD_LIBRARY_PATH', 'PERL5LIB', 'GCONV_PATH', 'LOCPATH']
    const value = (name: string): string =>
      /PATH|LIB$/.test(name) ? user.home : join(user.home, 'evil.so')
    await own('.pam_environment', lines.map((name) => `${name}=${value(name)}\n`).join(''))
    await mkdir(join(user.home, '.ssh'), { recursive: true })
    await own('.ssh/environment', lines.map((name) => `${name}=${value(name)}\n`).join(''))
    await own('.ssh/rc', `touch ${user.home}/by-rc\n`)
    await own('.bashrc', 'ulimit -Hu 10000; ulimit -u unlimited; ulimit -Hd unlimited\n')
    await own('.profile', 'ulimit -Hu 10000; ulimit -u unlimited\n')
    const sent = await subject.client(
      'ssh',
      ['-o', 'SetEnv LC_ALL=../../evil LD_PRELOAD=x SSH_ORIGINAL_COMMAND=id BASH_ENV=x', to()],
      { key, input: 'ulimit -Hu; ulimit -Hd; env\n' },
    )
    const [processes, memory] = sent.stdout.split('\n')
    expect([processes, memory]).toEqual(['40', String(128 * 1024)])
    expect((await ssh('cat /proc/self/oom_score_adj')).stdout).toBe(`${TENANT_OOM_SCORE}\n`)
    expect(sent.stdout).not.toMatch(/evil\.so|LD_|PERL5LIB|BASH_ENV|SSH_ORIGINAL/)
    const { stdout } = await ssh('ulimit -Hu; prlimit --nproc=1000 true || echo kept')
    expect(stdout.trim().split('\n').at(-1)).toBe('kept')
    for (const name of ['unlimited', 'by-rc']) expect(existsSync(join(user.home, name))).toBe(false)
    for (const name of ['.pam_environment', '.bashrc', '.profile', '.ssh/environment', '.ssh/rc'])
      await mustRun('rm', ['-f', '--', join(user.home, name)])
  })
  it('bounds its processes and its memory', async () => {
    const bomb = ssh('f() { f | f & }; f; sleep 3; echo over')
    await waitFor(async () => expect(await runs('bash')).toBe(true))
    const count = async (): Promise<number> =>
      (await runCommand('pgrep', ['-u', String(user.uid)])).stdout.split('\n').length
    for (let round = 0; round < 5; round += 1) expect(await count()).toBeLessThan(60)
    await bomb.catch(() => undefined)
    await waitFor(async () => expect(await runs('bash')).toBe(false))
    const memory = await ssh('perl -e \'$x = "a" x 400_000_000; print length $x\'')
    expect(memory.stdout).toBe('')
    expect((await ssh('echo alive')).stdout.trim()).toBe('alive')
  })
  it('ends what a session left behind, however it was left, and nothing of another', async () => {
    const staying = ssh('exec -a staying sleep 300')
    await waitFor(async () => expect(await runs('^staying')).toBe(true))
    await ssh('(setsid nohup bash -c "exec -a left1 sleep 300" > /dev/null 2>&1 &) ; true')
    await ssh(
      'perl -e \'use POSIX; for (1..3) { exit if fork; setsid() } close STDIN; close STDOUT; close STDERR; exec {"/bin/sleep"} "left2", 300\'',
    )
    await ssh(
      'trap "" HUP TERM; bash -c "exec -a left3 sleep 300" > /dev/null 2>&1 < /dev/null & disown; true',
    )
    await waitFor(async () => expect(await runs('^left')).toBe(false))
    expect(await runs('^staying')).toBe(true)
    // What a session of its own started in the background stays while that goes on.
    const open = ssh("(setsid bash -c 'exec -a inner sleep 300' &) ; sleep 300")
    await waitFor(async () => expect(await runs('^inner')).toBe(true))
    await mustRun('sleep', ['5'])
    expect(await runs('^inner')).toBe(true)
    await runCommand('pkill', ['-KILL', '-u', String(user.uid), '-f', '^sleep'])
    await open
    await waitFor(async () => expect(await runs('^inner')).toBe(false))
    await runCommand('pkill', ['-KILL', '-u', String(user.uid), '-f', '^staying'])
    await staying
  })
  it('keeps no session that sshd did not begin', async () => {
    // An sshd of the account's own is no connection.
    const config = `HostKey ${user.home}/hk\nPort 2299\nUsePAM no\nPidFile none\nStrictModes no\n`
    await own('sshd_config', config, 0o644)
    await ssh("ssh-keygen -q -t ed25519 -N '' -f hk; /usr/sbin/sshd -f $HOME/sshd_config; true")
    await waitFor(async () => expect(await runs('sshd_config')).toBe(false))
  })
  it('forwards no ports, no sockets and no agent', async () => {
    const through = await subject.client('ssh', ['-W', `127.0.0.1:${secretPort}`, to()], { key })
    expect([through.stdout, through.code === 0]).toEqual(['', false])
    const failing = ['-o', 'ExitOnForwardFailure=yes', '-N']
    for (const place of ['127.0.0.1:0', '/tmp/berth-sock']) {
      const words = [...failing, '-R', `${place}:127.0.0.1:${secretPort}`, to()]
      expect((await subject.client('ssh', words, { key })).stderr).toMatch(/forwarding failed/)
    }
    for (const flag of ['-A', '-X', '-Y']) {
      const { stdout } = await subject.client('ssh', [flag, to(), 'env'], { key })
      expect(stdout).not.toMatch(/SSH_AUTH_SOCK|DISPLAY/)
    }
    const tunnel = ['-o', 'ExitOnForwardFailure=yes', '-N', '-w', '0:0', to()]
    const dug = await subject.client('ssh', tunnel, { key, timeoutMs: 5000 }).catch(() => null)
    expect(dug?.code).not.toBe(0)
    expect(asked).toBe(0)
  })
  it('reads no keys that the account puts into its home, by links or otherwise', async () => {
    const mine = await subject.newKey()
    await mustRun('rm', ['-rf', '--', join(user.home, '.ssh')])
    await mkdir(join(subject.directory, 'foreign'))
    await writeFile(join(subject.directory, 'foreign/authorized_keys'), `${mine.publicKey}\n`)
    await symlink(join(subject.directory, 'foreign'), join(user.home, '.ssh'))
    expect((await subject.client('ssh', [to(), 'true'], { key: mine })).code).not.toBe(0)
    await mustRun('rm', ['--', join(user.home, '.ssh')])
    await ssh(`mkdir -m 700 .ssh; echo '${mine.publicKey}' > .ssh/authorized_keys`)
    expect((await subject.client('ssh', [to(), 'true'], { key: mine })).code).not.toBe(0)
  })
  it('lets it say nothing of others, and of itself no log-ins that were none', async () => {
    const before = (await subject.sftp.seenLogins({ after: 0 })).length
    const entry = (text: string): string => `<38>Nov 26 08:00:00 sshd[1]: ${text}`
    const forged = entry('auth_log_authopts():1 (pid=1): active: key options: tun=9 ')
    await ssh(
      `perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => "/dev/log") or die; print $s "${forged}\\0" for 1..50; print $s "x" x 100000'`,
    )
    const seen = await subject.sftp.seenLogins({ after: 0 })
    expect(seen.filter(({ keyId }) => keyId === 9)).toEqual([])
    expect(seen.length).toBeLessThanOrEqual(before + 1)
    expect((await ssh('echo alive')).stdout.trim()).toBe('alive')
  })
  it('is gone at once when it is taken away, with all that runs in it', async () => {
    const running = [
      ssh('trap "" HUP TERM INT; while :; do sleep 0.01; done'),
      ssh('f() { sleep 0.05; f & f; }; (setsid nohup bash -c "exec -a deep sleep 300" &); f'),
      subject.client('ssh', ['-N', to()], { key, timeoutMs: 60_000 }),
    ]
    await waitFor(async () => expect(await runs('^deep')).toBe(true))
    await give(false)
    expect(
      (
        await runCommand('pgrep', [
          '-r',
          'R,S,D,T',
          '-u',
          String(user.uid),
          '-x',
          'bash|sleep|sshd',
        ])
      ).stdout,
    ).toBe('')
    for (const one of running) expect((await one).code).not.toBe(0)
    expect(existsSync(join(subject.places.rooms, user.username))).toBe(false)
    expect((await ssh('echo out')).stdout).not.toContain('out')
    const words = ['-O', '--', `${to()}:evil.c`, join(subject.directory, 'out')]
    expect((await subject.client('scp', words, { key })).code).not.toBe(0)
    const sync = await subject.rsync(user.username, key, ['-a', ':', `${subject.directory}/out/`])
    expect(sync.code).not.toBe(0)
    // Its files are reached as before.
    const { stdout } = await subject.batch(user.username, ['pwd'], { key })
    expect(stdout).toContain(user.home)
    expect(await readFile('/etc/group', 'utf8')).not.toMatch(
      new RegExp(`^berth-ssh:.*${user.username}`, 'm'),
    )
    await give(true)
    expect((await ssh('echo in')).stdout.trim()).toBe('in')
  })
  it('is not given to who has another shell on the host, which would run without limits', async () => {
    const shell = (path: string) => mustRun('usermod', ['--shell', path, '--', user.username])
    await give(false)
    await shell('/bin/bash')
    await give(true)
    expect((await ssh('echo in')).stdout).not.toMatch(/^in$/m)
    const { problem } = await subject.sftp.shellProblem({ username: user.username })
    expect(problem).toContain('/bin/bash')
    await shell('/usr/lib/openssh/sftp-server')
    await give(true)
    expect((await ssh('echo in')).stdout.trim()).toBe('in')
  })
})
