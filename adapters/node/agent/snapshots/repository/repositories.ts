import { lchown, mkdir } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import { conflict, isAppError, notFound } from '#handlers/errors.ts'
import type { SnapshotPlace } from '#handlers/ports/host/backups/snapshots.ts'
import { prepareLocal, openAddress } from './repository-address.ts'
import type { AddressDeps, RepositoryAddress } from './repository-address.ts'
import { isMissing, isWrongKey, lockHolder, resticFailure } from './restic-failure.ts'
import { startRestic } from './restic-process.ts'
import type { ResticProcess } from './restic-process.ts'
import type { SnapshotKey, SnapshotKeys } from './snapshot-keys.ts'

export interface RepositoryDeps extends AddressDeps {
  keys: SnapshotKeys
  /** Of restic's own; safe to delete. */
  cacheDirectory: string
  /** Whether long work leaves disk and processor to everything else; default: yes. */
  gently?: boolean
}

export interface ResticRun {
  signal?: AbortSignal | undefined
  /** See `ResticOrder`. */
  namespace?: string | null
  readsAll?: boolean
  env?: Record<string, string>
  /** Exit codes that are no failure; default 0. */
  goodCodes?: readonly number[]
}

/** A repository that was opened with a key that fits. */
export interface Repository {
  place: SnapshotPlace
  key: SnapshotKey
  address: RepositoryAddress
  /** Starts restic in it; the caller reads all output and judges the end, `failure` in words. */
  start(args: readonly string[], run?: ResticRun): ResticProcess
  /** Runs it to its end: 409 for a lock of somebody else, else 503 with what it said. */
  run(
    args: readonly string[],
    run?: ResticRun,
  ): Promise<{ code: number | null; stdout: string; stderr: string }>
  failure(code: number | null, stderr: string): Error
}

const MAX_OUTPUT = 64 * 2 ** 20

/** Repositories of accounts, which keys open. */
export const createRepositories = (deps: RepositoryDeps) => {
  const opened = (
    place: SnapshotPlace,
    key: SnapshotKey,
    address: RepositoryAddress,
  ): Repository => {
    const start: Repository['start'] = (args, run = {}) =>
      startRestic({
        user: deps.user,
        namespace: run.namespace ?? null,
        readsAll: run.readsAll ?? false,
        signal: run.signal,
        // For what is only looked at, somebody waits.
        gently: deps.gently !== false && !args.includes('--no-lock'),
        env: {
          HOME: deps.cacheDirectory,
          TMPDIR: path.join(deps.cacheDirectory, 'tmp'),
          RESTIC_CACHE_DIR: path.join(deps.cacheDirectory, 'restic'),
          RESTIC_PASSWORD: key.passwordOf(place.username),
          RESTIC_PROGRESS_FPS: '1',
          // Memory grows with the index; this halves it for some time of the processor.
          GOGC: '20',
          ...address.env,
          ...run.env,
        },
        args: [...address.options, ...args],
      })
    const once: Repository['run'] = async (args, run = {}) => {
      const restic = start(args, run)
      const chunks: Buffer[] = []
      let have = 0
      for await (const chunk of restic.stdout as AsyncIterable<Buffer>) {
        have += chunk.length
        if (have <= MAX_OUTPUT) chunks.push(chunk)
      }
      const { code, stderr } = await restic.ended
      run.signal?.throwIfAborted()
      return { code, stdout: Buffer.concat(chunks).toString('utf8'), stderr }
    }
    return {
      place,
      key,
      address,
      start,
      failure: (code, stderr) => resticFailure(address.where, code, stderr),
      async run(args, run = {}) {
        const good = run.goodCodes ?? [0]
        let result = await once(args, run)
        const holder = result.code === 0 ? null : lockHolder(result.stderr)
        if (holder !== null) {
          // Of a process of ours that was killed: whoever asks has the repository's lane to
          // itself. Of others only what has not been renewed for half an hour goes.
          const ours = holder.host === os.hostname()
          await once(['unlock', ...(ours ? ['--remove-all'] : [])])
          result = await once(args, run)
        }
        if (result.code !== null && good.includes(result.code)) return result
        throw resticFailure(address.where, result.code, result.stderr)
      },
    }
  }

  /** Tries one key: null where no repository is; `wrong` where another key is needed. */
  const probe = async (
    place: SnapshotPlace,
    key: SnapshotKey,
    signal?: AbortSignal,
  ): Promise<Repository | 'missing' | 'wrong'> => {
    const address = await openAddress(deps, place, key.hostId)
    let kept = false
    try {
      const repository = opened(place, key, address)
      const restic = repository.start(['cat', 'config', '--no-lock'], { signal })
      await buffer(restic.stdout)
      const { code, stderr } = await restic.ended
      signal?.throwIfAborted()
      if (code === 0) {
        kept = true
        return repository
      }
      if (isMissing(code, stderr)) return 'missing'
      if (isWrongKey(code, stderr)) return 'wrong'
      throw repository.failure(code, stderr)
    } finally {
      if (!kept) await address.close()
    }
  }

  /** By place: the host whose key fitted. Asking costs a second, since keys are made from passwords slowly. */
  const known = new Map<string, string>()
  const nameOf = ({ username, location }: SnapshotPlace): string => `${location}/${username}`

  const find = async (place: SnapshotPlace, signal?: AbortSignal): Promise<Repository> => {
    let wrong = false
    for (const key of await deps.keys.all()) {
      const found = await probe(place, key, signal)
      if (typeof found === 'object') {
        known.set(nameOf(place), key.hostId)
        return found
      }
      wrong ||= found === 'wrong'
    }
    if (!wrong)
      throw notFound(`There are no snapshots of ${place.username} at "${place.location}".`)
    throw conflict(
      `The snapshots of ${place.username} at "${place.location}" are encrypted with a key that is not here. Lay the key of the host that made them beside own.key in agent/snapshot-keys of the state directory.`,
    )
  }

  const create = async (place: SnapshotPlace, signal?: AbortSignal): Promise<Repository> => {
    const [key] = await deps.keys.all()
    if (place.location === 'local') await prepareLocal(deps)
    const address = await openAddress(deps, place, key.hostId)
    const repository = opened(place, key, address)
    try {
      await repository.run(['init'], { signal })
      return repository
    } catch (error) {
      await address.close()
      throw error
    }
  }

  /** With the key that fitted last; whoever meets a failure has it looked for anew. */
  const reopened = async (place: SnapshotPlace): Promise<Repository | null> => {
    const hostId = known.get(nameOf(place))
    const key = (await deps.keys.all()).find((one) => one.hostId === hostId)
    return key === undefined ? null : opened(place, key, await openAddress(deps, place, key.hostId))
  }

  const prepare = async (): Promise<void> => {
    await mkdir(deps.privateDirectory, { recursive: true, mode: 0o711 })
    for (const name of ['', 'tmp', 'restic'])
      await mkdir(path.join(deps.cacheDirectory, name), { recursive: true, mode: 0o700 })
    if (deps.user === null) return
    for (const name of ['', 'tmp', 'restic'])
      await lchown(path.join(deps.cacheDirectory, name), deps.user.uid, deps.user.gid)
  }

  return {
    /** Opens the repository, with the key of this host or one beside it: 404 where there is none. */
    async withRepository<T>(
      place: SnapshotPlace,
      work: (repository: Repository) => Promise<T>,
      options: { create?: boolean; signal?: AbortSignal | undefined } = {},
    ): Promise<T> {
      await prepare()
      const { signal } = options
      const again = options.create === true ? null : await reopened(place)
      const repository =
        again ??
        (await find(place, signal).catch((error: unknown) => {
          if (options.create !== true || !isAppError(error) || error.status !== 404) throw error
          return create(place, signal)
        }))
      try {
        return await work(repository)
      } catch (error) {
        known.delete(nameOf(place))
        throw error
      } finally {
        await repository.address.close()
      }
    },
    /** The same for a stream that outlasts the call; the caller closes the address. */
    async open(place: SnapshotPlace): Promise<Repository> {
      await prepare()
      return (await reopened(place)) ?? find(place)
    },
  }
}

export type Repositories = ReturnType<typeof createRepositories>

/** What restic prints, as a stream that fails when restic does; destroying it ends restic. */
export const outputOfRestic = (repository: Repository, restic: ResticProcess): Readable => {
  const out = new PassThrough({ highWaterMark: 256 * 1024 })
  restic.stdout.on('error', (error) => out.destroy(error))
  restic.stdout.pipe(out, { end: false })
  out.once('close', () => restic.stop())
  void restic.ended.then(({ code, stderr }) => {
    if (code === 0) out.end()
    else out.destroy(repository.failure(code, stderr))
  })
  return out
}
