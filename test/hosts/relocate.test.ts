import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Berth } from '#test/cli/support/run-berth.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { startInstance } from '#test/support/instance.ts'
import type { Instance } from '#test/support/instance-types.ts'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { PanelClient } from '#test/support/panel-client.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { ownMachine } from './support/own-machine.ts'

// Two whole installations, each with users of its own. One account, which is moved from one to the other.
let own: Instance
let second: Instance
let berth: Berth
let there: Berth
let scratch = ''
let fingerprint = ''
const leads: Server[] = []

/** Addresses of this machine that nobody else uses; the target's ports 80 and 443 are there. */
const ADDRESS = `127.93.${(process.pid >> 8) & 255}.${process.pid & 255 || 1}`
const PASSWORD = 'a password of 24 letters'
const FOLDER = 'letters for a folder'
const PATIENT = { timeout: 90_000, interval: 500 }
/** So much that a copy takes a moment. */
const LARGE_BYTES = 24 * 2 ** 20
const ODD = ['-rf *', 'Grüße 🌍.txt', 'it\'s "so"\\n.txt', 'line\nbreak.txt', '.hidden ']

/** What comes to a port of the target's address reaches its web server. */
const lead = async (port: number, to: number): Promise<void> => {
  const server = createServer((socket) => {
    const onward = connect(to, '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    for (const end of [socket, onward])
      end.on('error', () => {
        socket.destroy()
        onward.destroy()
      })
  })
  leads.push(server)
  await once(server.listen(port, ADDRESS), 'listening')
}

beforeAll(async () => {
  const [port = 0] = await freePorts(1)
  ;[own, second] = await Promise.all([
    startInstance({ settings: { server: 'workers = 1' } }),
    startInstance({
      settings: { server: 'workers = 1' },
      append: `[link]\nlisten = "${ADDRESS}:${port}"\n`,
      under: ownMachine,
    }),
  ])
  await lead(80, second.webPort)
  await lead(443, second.webSslPort)
  scratch = mkdtempSync(join(tmpdir(), 'relocate-'))
  berth = new Berth('--config', own.config.file)
  there = new Berth('--config', second.config.file)
  const said = await berth.ok('hosts add', ['two', `${ADDRESS}:${port}`])
  await there.ok('agent join', [said.trim().split(' ').at(-1) ?? ''])
  await waitFor(async () => expect(await berth.ok('hosts open', ['two'])).toContain('is open'))
})
afterAll(async () => {
  for (const server of leads) server.close()
  berth?.remove()
  there?.remove()
  await Promise.all([own?.stop(), second?.stop()])
  if (scratch !== '') rmSync(scratch, { recursive: true, force: true })
})

const put = (path: string, input: string | Uint8Array) =>
  berth.ok('files put', ['mover', '-', path], { input })
const page = (instance: Instance, path: string, secure = false, headers = {}) =>
  instance.site('mover.example', path, { secure, headers })
const fileOf = (instance: Instance, path: string) =>
  join(instance.config.paths.home_base, 'mover', path)
/** What the doctor says, but for the one agent that was killed. */
const findings = async (from = berth): Promise<string[]> =>
  ((await from.json('doctor')) as { findings: Record<string, string>[] }).findings
    .filter(({ kind }) => !['mail', 'process', 'package', 'backup'].includes(kind ?? ''))
    .map(({ host = 'local', subject, what }) => `${host}: ${subject} ${what}`)
/** Command lines under a user's number, but for what shows files to the panel. */
const programsOf = (uid: number): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return statSync(`/proc/${name}`).uid === uid
          ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')]
          : []
      } catch {
        return [] // ended meanwhile
      }
    })
    .filter((words) => !words.includes('files-helper.ts'))

/** Of what a web server shows for the site. */
const shownCertificate = async ({ webSslPort: port }: Instance): Promise<string> => {
  const socket = connectTls({ port, servername: 'mover.example', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const shown = socket.getPeerCertificate().fingerprint256
  socket.destroy()
  return shown
}

const withFolder = {
  authorization: `Basic ${Buffer.from(`ann:${FOLDER}`).toString('base64')}`,
}

/** All that is asked of an account, wherever it is. */
const expectWhole = async (instance: Instance, goods: number): Promise<void> => {
  const count = `${goods} goods`
  expect(await page(instance, '/count.php')).toMatchObject({ status: 200, text: count })
  expect(await page(instance, '/count.php', true)).toMatchObject({ status: 200, text: count })
  expect((await page(instance, '/closed/')).status).toBe(401)
  expect((await page(instance, '/closed/', false, withFolder)).text).toBe('in there')
  for (const name of ODD)
    expect(readFileSync(fileOf(instance, `odd/${name}`), 'utf8'), name).toBe(name)
  expect(statSync(fileOf(instance, 'odd/large.bin')).size).toBe(LARGE_BYTES)
  const panel = new PanelClient(own)
  const login = { username: 'mover', password: PASSWORD }
  expect((await panel.call('POST', '/api/auth/login', login, null)).status).toBe(200)
}

test('an account is made with all that one has', async () => {
  await berth.ok(
    'accounts create',
    [
      ...['mover', '--domain', 'mover.example', '--email', 'a@mail.example', '--plan', 'business'],
      ...['--password-stdin', '--host', 'local'],
    ],
    { input: PASSWORD },
  )
  await waitFor(
    () => berth.ok('databases create', ['mover', 'shop', '--password-stdin'], { input: PASSWORD }),
    PATIENT,
  )
  const script = (body: string): string =>
    `<?php $db = new mysqli('localhost', 'mover_shop', '${PASSWORD}', 'mover_shop'); ${body}`
  await put(
    'public_html/fill.php',
    script(
      "$db->query('create table if not exists goods (name text)'); $db->query(\"insert into goods values ('tea'), ('milk')\"); echo 'filled';",
    ),
  )
  await put(
    'public_html/count.php',
    script(
      "header('Cache-Control: no-store'); echo $db->query('select count(*) from goods')->fetch_row()[0], ' goods';",
    ),
  )
  await waitFor(async () => expect((await page(own, '/fill.php')).text).toBe('filled'))
  await put('public_html/plain.txt', 'plain')
  await put('public_html/stored.php', "<?php echo 'stored before';")
  await berth.ok('files mkdir', ['mover', 'public_html/closed'])
  await put('public_html/closed/index.html', 'in there')
  const person = ['mover.example', '/closed', 'ann', '--password-stdin']
  await berth.ok('site protect', person, { input: FOLDER })
  const { certificate, key } = makeCertificate({ names: ['mover.example'], days: 300 })
  fingerprint = new X509Certificate(certificate).fingerprint256
  writeFileSync(join(scratch, 'c.pem'), certificate)
  writeFileSync(join(scratch, 'k.pem'), key, { mode: 0o600 })
  const files = ['--certificate', join(scratch, 'c.pem'), '--key', join(scratch, 'k.pem')]
  await berth.ok('ssl upload', ['mover.example', ...files, '--no-redirect-https'])
  await berth.ok('cron create', [
    ...['mover', 'mark', '--schedule', '0 3 1 1 *', '--shell', 'pwd > mark.txt'],
  ])
  await berth.ok('files mkdir', ['mover', 'odd'])
  // As a program of the account would: not all of them are names that the panel takes.
  const names = Buffer.from(JSON.stringify(ODD)).toString('base64')
  await put(
    'public_html/make.php',
    `<?php chdir('../odd'); foreach (json_decode(base64_decode('${names}')) as $name) file_put_contents($name, $name);
$f = fopen('large.bin', 'w'); for ($i = 0; $i < ${LARGE_BYTES / 2 ** 20}; $i++) fwrite($f, random_bytes(1 << 20)); echo 'made';`,
  )
  expect((await page(own, '/make.php')).text).toBe('made')
  await expectWhole(own, 2)
})

test('a target whose agent dies leaves it where it was', async () => {
  const moving = berth.runAlone('accounts relocate', ['mover', 'two'])
  await waitFor(() => expect(existsSync(fileOf(second, 'odd'))).toBe(true), {
    timeout: 30_000,
    interval: 5,
  })
  await second.kill('agent')
  const { code, stderr } = await moving
  expect(code).toBe(1)
  expect(stderr).toContain('host two')
  await second.untilReady()
  await waitFor(() => expectWhole(own, 2), PATIENT)
  await waitFor(async () => expect(await findings()).toEqual([]), {
    timeout: 15_000,
    interval: 1000,
  })
})

test('it is moved whole, and visitors who come to the former machine are led there', async () => {
  const answers = new Set<string>()
  let over = false
  const asking = (async () => {
    while (!over)
      for (const path of ['count.php', 'stored.php', 'plain.txt']) {
        const { status, headers, text } = await page(own, `/${path}`)
        answers.add(
          `${path} ${status} ${status === 503 ? `again in ${headers['retry-after']}` : text}`,
        )
      }
  })()
  const moved = await berth.runAlone('accounts relocate', ['mover', 'two'])
  over = true
  await asking
  expect(moved).toMatchObject({ code: 0 })
  expect(moved.stdout).toContain('is on two')
  expect([...answers].sort()).toEqual([
    'count.php 200 2 goods',
    'count.php 503 again in 5',
    'plain.txt 200 plain',
    'stored.php 200 stored before',
  ])
  await expectWhole(second, 2)
  expect(await shownCertificate(second)).toBe(fingerprint)
  expect((await page(second, '/fill.php')).text).toBe('filled')

  // Nothing of it runs at the former machine, which asks the new one for all of it.
  expect(programsOf(statSync(fileOf(own, 'public_html')).uid)).toEqual([])
  for (const secure of [false, true])
    expect(await page(own, '/count.php', secure)).toMatchObject({ status: 200, text: '4 goods' })
  expect((await page(own, '/closed/')).status).toBe(401)
  expect((await page(own, '/closed/', false, withFolder)).text).toBe('in there')
  expect(await shownCertificate(own)).toBe(fingerprint)
  await put('public_html/stored.php', "<?php echo 'stored after';")
  await waitFor(async () => expect((await page(own, '/stored.php')).text).toBe('stored after'))

  await berth.ok('cron run', ['mover', '1'])
  await waitFor(() =>
    expect(readFileSync(fileOf(second, 'mark.txt'), 'utf8')).toBe(
      `${second.config.paths.home_base}/mover\n`,
    ),
  )
  expect(existsSync(fileOf(own, 'mark.txt'))).toBe(false)
  expect(await berth.ok('hosts copies', ['local'])).toContain('mover')
  expect(await findings()).toEqual([])
})
