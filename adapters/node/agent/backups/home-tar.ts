import { pipeline } from 'node:stream'
import type { Readable } from 'node:stream'
import { unavailable } from '#handlers/errors.ts'
import { asUser } from '../../process/as-user.ts'
import type { RunAs } from '../../process/as-user.ts'
import { CommandError } from '../../process/run-command.ts'
import { feed, outputOf } from '../../process/stream-command.ts'
import { STAGING_PREFIX } from '../files/helper/swap-home.ts'
import { stallLimit } from './stall-limit.ts'

const TAR = '/usr/bin/tar'
/** The idle class of disk and processor; where the kernel does not grant it, it goes on without. */
const GENTLY = ['/usr/bin/ionice', '-c', '3', '-t', '/usr/bin/nice', '-n', '19']
const STALL_MS = 120_000
/** "Some files differ": they changed while they were read. */
const SOME_DIFFER = 1

/** Whose home, and as whom it is touched: null is ourselves (rootless mode). */
export interface HomeOwner {
  username: string
  home: string
  runAs: RunAs | null
}

const AS_TENANT = { dieWithParent: true, limited: true } as const

/**
 * The home as a tar stream, made by a process of the account: the kernel lets it
 * read what the account may read. What it says is as hostile as the account is;
 * `onComplaint` hears what it may not read. `gently`: disk and processor are for everything
 * else first.
 */
export const packHome = (
  { username, home, runAs }: HomeOwner,
  onComplaint: (text: string) => void,
  gently = false,
): Readable => {
  const [first = TAR, ...words] = gently ? [...GENTLY, TAR] : [TAR]
  const { program, args } = asUser(
    runAs,
    first,
    [
      ...words,
      '--create',
      '--file=-',
      '--format=gnu',
      `--directory=${home}`,
      '--one-file-system',
      '--hard-dereference',
      '--ignore-failed-read',
      '--warning=none',
      '--warning=failed-read',
      '--quoting-style=escape',
      '--anchored',
      `--exclude=./${STAGING_PREFIX}*`,
      '--',
      '.',
    ],
    AS_TENANT,
  )
  const source = outputOf(program, args, {
    goodCodes: [0, SOME_DIFFER],
    onErrorText: onComplaint,
  })
  // Errors of either reach who reads the result.
  return pipeline(source, stallLimit(STALL_MS, `Reading the home of ${username}`), () => undefined)
}

/**
 * Extracts a tar stream into `directory` (relative to the home, there already) by
 * a process of the account. Names in the stream have been judged before; whatever
 * the account puts in the way meanwhile, only its own rights are used.
 */
export const unpackInto = async (
  { username, home, runAs }: HomeOwner,
  directory: string,
  tar: Readable,
): Promise<void> => {
  const { program, args } = asUser(
    runAs,
    TAR,
    [
      '--extract',
      '--file=-',
      `--directory=${home}/${directory}`,
      '--no-same-owner',
      '--preserve-permissions',
      '--delay-directory-restore',
      '--keep-old-files',
      '--warning=none',
    ],
    AS_TENANT,
  )
  try {
    await feed(program, args, tar, { stallMs: STALL_MS })
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw unavailable(
      `The files could not be written into the home of ${username}; nothing of it was changed. Check that the disk has room, then try again.`,
      error,
    )
  }
}
