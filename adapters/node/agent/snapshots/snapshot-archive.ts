import { inMegabytes } from '#handlers/domain/text/megabyte.ts'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, statfs } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { conflict, unavailable } from '#handlers/errors.ts'
import type { RestoreParts } from '#handlers/ports/host/backups/restore-parts.ts'
import type { Report } from '../backups/works/report.ts'
import {
  MANIFEST,
  MAX_MANIFEST_BYTES,
  certificateMember,
  parseManifest,
} from '../backups/manifest.ts'
import type { Manifest } from '../backups/manifest.ts'
import type { ArchiveKeys } from '../backups/records/archive-keys.ts'
import type { SmallMember } from '../backups/records/collect-records.ts'
import { SEALED } from '../backups/records/secrets.ts'
import { createChosenMembers } from '../backups/restore/chosen-members.ts'
import { writeArchive } from '../backups/write-archive.ts'
import type { ListedSnapshot } from './listed-snapshots.ts'
import { outputOfRestic } from './repository/repositories.ts'
import type { Repository } from './repository/repositories.ts'
import { readResticTar } from './restic-tar.ts'
import { snapshotHome } from './snapshot-home.ts'

const STAGED =
  /^(?:manifest\.json|secrets\.sealed|certificates\/[a-z0-9._-]{1,300}\.pem|databases\/[a-z0-9_-]{1,100}\.sql)$/

/** Writes what a snapshot has beside the home into `directory`; `wants` judges the names below it. */
export const unstage = async (
  repository: Repository,
  { id, staging }: ListedSnapshot,
  directory: string,
  wants: (name: string) => boolean,
  signal?: AbortSignal,
): Promise<Manifest> => {
  for (const name of ['', 'databases', 'certificates'])
    await mkdir(path.join(directory, name), { recursive: true, mode: 0o700 })
  const prefix = `${staging.slice(1)}/`
  const args = ['dump', '--no-lock', '--archive', 'tar', '--', id, staging]
  const source = outputOfRestic(repository, repository.start(args, { signal }))
  try {
    await readResticTar(source as AsyncIterable<Buffer>, async ({ name: full, type }, content) => {
      const name = full.slice(prefix.length)
      if (type !== 'file' || !full.startsWith(prefix) || !STAGED.test(name) || !wants(name)) return
      const to = createWriteStream(path.join(directory, name), { flags: 'wx', mode: 0o600 })
      await pipeline(Readable.from(content), to)
    })
  } finally {
    source.destroy()
  }
  const text = await readFile(path.join(directory, MANIFEST), 'utf8').catch(() => null)
  if (text === null || text.length > MAX_MANIFEST_BYTES)
    throw conflict('The snapshot has no manifest.json, so nothing of it can be restored.')
  return parseManifest(text, repository.place.username)
}

/** Which of the dumps are wanted. */
const dumpsOf = (manifest: Manifest, wanted: RestoreParts['databases']): Manifest['databases'] => {
  if (wanted === 'all') return manifest.databases
  if (wanted === 'none') return []
  return manifest.databases.filter(({ engine, database }) =>
    wanted.some((one) => one.engine === engine && one.database === database),
  )
}

/**
 * Turns a snapshot, or what is wanted of it, into an archive in `directory`, as
 * `docs/backup-format.md` describes them: restoring and importing have one way, and judge it
 * once more.
 */
export const snapshotArchive = async (input: {
  repository: Repository
  snapshot: ListedSnapshot
  parts: RestoreParts
  directory: string
  keys: ArchiveKeys
  sizeBytes: number
  asRoot: boolean
  nowMs: number
  signal?: AbortSignal | undefined
  report: Report
}): Promise<string> => {
  const { repository, snapshot, parts, directory, report, signal } = input
  const { bavail, bsize } = await statfs(directory)
  if (parts.files === 'all' && input.sizeBytes > bavail * bsize)
    throw unavailable(
      `The disk has no room for the ${inMegabytes(input.sizeBytes, Math.ceil)} of the snapshot while it is read.`,
    )
  report('read', 'Reading the snapshot', 5)
  const staged = path.join(directory, 'staged')
  const all = await unstage(
    repository,
    snapshot,
    staged,
    (name) => !name.startsWith('databases/') || parts.databases !== 'none',
    signal,
  )
  const manifest: Manifest = { ...all, databases: dumpsOf(all, parts.databases) }
  const names = manifest.certificates.map(({ domain }) => certificateMember(domain))
  if (manifest.sealed !== null) names.push(SEALED)
  const members: SmallMember[] = []
  for (const name of names) members.push({ name, content: await readFile(path.join(staged, name)) })
  // Who could open the repository knows whose it is; what is sealed opens with the key that sealed it.
  const { sealed } = manifest
  const key =
    (sealed === null ? null : await input.keys.byId(sealed.key_id)) ?? (await input.keys.own())
  const { files } = parts
  const file = path.join(directory, 'snapshot.tar.gz')
  const chosen = typeof files === 'string' ? null : createChosenMembers(files)
  await writeArchive({
    file,
    home:
      files === 'none'
        ? async () => undefined
        : snapshotHome({
            repository,
            snapshot,
            uid: input.asRoot ? manifest.uid : null,
            ...(chosen === null ? {} : { wants: chosen.takes }),
            signal,
          }),
    manifest,
    members,
    key,
    dumpsDir: path.join(staged, 'databases'),
    nowSecs: Math.floor(input.nowMs / 1000),
    onHome: (bytes) => report('read', inMegabytes(bytes, Math.round), 20),
  })
  return file
}
