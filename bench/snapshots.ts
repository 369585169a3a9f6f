import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createArchiveKeys } from '#adapters/node/agent/backups/records/archive-keys.ts'
import { createBackupsPort } from '#adapters/node/agent/backups/backups-port.ts'
import { osPasswords } from '#adapters/node/agent/backups/records/system-passwords.ts'
import { createSnapshotKeys } from '#adapters/node/agent/snapshots/repository/snapshot-keys.ts'
import { createSnapshotsPort } from '#adapters/node/agent/snapshots/snapshots-port.ts'
import { ensureIdentities } from '#adapters/node/process/ensure-identities.ts'
import { mustRun } from '#adapters/node/process/run-command.ts'
import { newRecord } from '#test/contract/backups/archived-record.ts'
import { createAgentFixture } from '#test/node/agent/agent-fixture.ts'
import { readOptions } from './support/read-options.ts'

const USAGE = `node bench/snapshots.ts                        10 GB in 200,000 files: a first backup, and one after every hundredth changed
node bench/snapshots.ts --mb N --files M       so many megabytes in so many files`

const values = readOptions(USAGE, {
  mb: { type: 'string', default: '10240' },
  files: { type: 'string', default: '200000' },
})
const [mb, files] = [Number(values.mb), Number(values.files)]
if (!(mb > 0) || !Number.isInteger(files) || files < 100) {
  console.error(`--mb must be above 0, --files at least 100\n\n${USAGE}`)
  process.exit(2)
}
if (process.getuid?.() !== 0) {
  console.error('This makes a user, whose home is backed up: run it as root.')
  process.exit(2)
}

const LIMIT_MS = 6 * 3_600_000
const PER_FOLDER = 500
const sizeBytes = Math.floor((mb * 2 ** 20) / files)

/** Half of it random, as pictures are for a compressor; half as text is. */
const contentOf = (): Buffer => {
  const half = Math.floor(sizeBytes / 2)
  return Buffer.concat([randomBytes(half), Buffer.alloc(sizeBytes - half, '<p>text</p>\n')])
}
const fileOf = (home: string, index: number): string =>
  path.join(home, 'public_html', `d${Math.floor(index / PER_FOLDER)}`, `f${index}`)
const write = async (home: string, every: number): Promise<void> => {
  for (let index = 0; index < files; index += every) {
    const file = fileOf(home, index)
    if (index % PER_FOLDER === 0) await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, contentOf())
  }
}
const bytesIn = async (directory: string): Promise<number> => {
  const { stdout } = await mustRun('/usr/bin/du', ['--summarize', '--bytes', '--', directory])
  return Number(stdout.split('\t')[0])
}

interface Row {
  way: string
  seconds: number
  stored_mb: number
}
const rows: Row[] = []
/** What `work` took, and by how much `directory` grew. */
const measure = async (way: string, directory: string, work: () => Promise<unknown>) => {
  const before = await bytesIn(directory)
  const startedMs = performance.now()
  await work()
  rows.push({
    way,
    seconds: Math.round((performance.now() - startedMs) / 100) / 10,
    stored_mb: Math.round(((await bytesIn(directory)) - before) / 2 ** 20),
  })
}

const host = await createAgentFixture()
const directory = await mkdtemp(path.join(tmpdir(), 'berth-bench-'))
const at = (...parts: string[]): string => path.join(directory, ...parts)
// Its repositories are of another user.
await chmod(directory, 0o711)
try {
  const { backup } = await ensureIdentities()
  for (const name of ['archives', 'plain', 'alone', 'state', 'state/snapshots'])
    await mkdir(at(name), { mode: 0o711 })
  const log = { info: () => undefined, warn: console.warn, error: console.error }
  const keys = createArchiveKeys(at('archive-keys'))
  const shared = {
    ...{ registry: host.registry, lock: host.lock, engines: [], asRoot: true, log },
    ...{ passwords: osPasswords, madeBy: 'berth bench', targets: () => [] },
  }
  const backups = createBackupsPort({
    ...shared,
    keys,
    helpers: host.helpers,
    uidIsFree: async () => false,
    homeBase: host.homeBase,
    certificates: { install: async () => Promise.reject(new Error('no certificates here')) },
    fetchSnapshot: (...args) => snapshots.fetch(...args),
    directory: at('archives'),
  })
  const snapshots = createSnapshotsPort({
    ...shared,
    archiveKeys: keys,
    user: backup,
    keys: createSnapshotKeys(at('state/agent/snapshot-keys')),
    directory: at('state/snapshots'),
    cacheDirectory: at('state/snapshot-cache'),
    stateDirectory: at('state'),
    restoreFrom: (...args) => backups.restoreFrom(...args),
  })
  const { username, home, uid, gid } = await host.account()
  const own = (): Promise<unknown> =>
    mustRun('/usr/bin/chown', [
      '--recursive',
      `${uid}:${gid}`,
      '--',
      path.join(home, 'public_html'),
    ])
  const follow = async (
    wait: () => Promise<{ state: string; error: { message: string } | null }>,
  ): Promise<void> => {
    for (;;) {
      const { state, error } = await wait()
      if (error !== null) throw new Error(error.message)
      if (state !== 'running') return
    }
  }
  let serial = 0
  const work = { username, location: 'local', ...newRecord(username) }
  const archive = async (): Promise<void> => {
    const operationId = `archive-${(serial += 1)}`
    const filename = `${username}-20260101-${String(serial).padStart(6, '0')}.tar.gz`
    await backups.start({ ...work, kind: 'create', operationId, filename })
    await follow(() => backups.wait({ operationId }))
  }
  const snapshot = async (): Promise<void> => {
    const operationId = `snapshot-${(serial += 1)}`
    await snapshots.start({ ...work, kind: 'snapshot', operationId, scheduled: true })
    await follow(() => snapshots.wait({ operationId }))
  }
  const limits = { timeoutMs: LIMIT_MS, env: { RESTIC_PASSWORD: 'bench', HOME: at('alone') } }
  const restic = (...args: string[]): Promise<unknown> =>
    mustRun(
      '/usr/bin/restic',
      ['--no-cache', '--quiet', '--repo', at('alone/repo'), ...args],
      limits,
    )
  const tar = (): Promise<unknown> =>
    mustRun(
      '/usr/bin/tar',
      [
        '--create',
        '--gzip',
        `--file=${at('plain', `${(serial += 1)}.tar.gz`)}`,
        `--directory=${home}`,
        '.',
      ],
      limits,
    )

  console.log(`Writing ${files} files of ${sizeBytes} bytes ...`)
  await write(home, 1)
  await own()
  await restic('init')
  for (const round of ['first', 'one of 100 changed']) {
    if (round !== 'first') {
      await write(home, 100)
      await own()
    }
    await measure(`tar and gzip, ${round}`, at('plain'), tar)
    await measure(`restic alone, ${round}`, at('alone'), () => restic('backup', '--', home))
    await measure(`berth archive, ${round}`, at('archives'), archive)
    await measure(`berth snapshot, ${round}`, at('state/snapshots'), snapshot)
  }
  console.table(rows)
  console.log(JSON.stringify({ mb, files, rows }))
  const left = (await readdir(at('state/snapshot-staging'))).filter((name) => !name.startsWith('.'))
  if (left.length > 0 || !(await stat(fileOf(home, 0))).isFile()) process.exitCode = 1
  await snapshots.shutDown()
} finally {
  await rm(directory, { recursive: true, force: true })
  await host.dispose()
}
